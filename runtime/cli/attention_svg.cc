#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cli/attention.h"

namespace latimer::cli {
namespace {

// In pixels.
constexpr int kCell = 14;
constexpr int kFont = 11;
constexpr int kGap = 24;
constexpr int kTitle = 22;
constexpr int kTitleWidth = 190;
constexpr int kMapsInARow = 3;
// Widest character of a label, generously: labels are not measured here.
constexpr double kCharacter = 0.62 * kFont;

// Weights below this are drawn as 0, which is white: most of a map.
constexpr float kSmallest = 0.004f;

std::string Escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (byte < 0x20) {
      out += ' ';  // Not allowed in XML.
    } else {
      out += c;
    }
  }
  return out;
}

// Characters of UTF-8.
size_t Length(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

int LabelWidth(const std::vector<std::string>& labels) {
  size_t longest = 0;
  for (const std::string& label : labels) {
    longest = std::max(longest, Length(label));
  }
  return static_cast<int>(kCharacter * static_cast<double>(longest)) + 8;
}

// White over blue to dark blue.
std::string Colour(float weight) {
  constexpr std::array<std::array<int, 3>, 5> kStops = {{{255, 255, 255},
                                                         {198, 219, 239},
                                                         {107, 174, 214},
                                                         {33, 113, 181},
                                                         {8, 48, 107}}};
  const float x = std::clamp(weight, 0.0f, 1.0f) * (kStops.size() - 1);
  const auto i = std::min<size_t>(kStops.size() - 2, static_cast<size_t>(x));
  const float f = x - static_cast<float>(i);
  int rgb[3];
  for (size_t k = 0; k < 3; ++k) {
    const auto low = static_cast<float>(kStops[i][k]);
    const auto high = static_cast<float>(kStops[i + 1][k]);
    rgb[k] = static_cast<int>(std::lround(low + (high - low) * f));
  }
  char text[16];
  std::snprintf(text, sizeof(text), "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255,
                rgb[2] & 255);
  return text;
}

std::string Number(int value) { return std::to_string(value); }

// One head of a layer, or, where `head` is kMean, the mean of all.
constexpr size_t kMean = static_cast<size_t>(-1);
struct Map {
  const AttentionRecord& record;
  size_t layer;
  size_t head;

  int left() const { return LabelWidth(record.rows); }
  int top() const { return kTitle + LabelWidth(record.columns); }
  int right() const {
    return left() + kCell * static_cast<int>(record.columns.size());
  }
  int width() const { return std::max(right(), kTitleWidth); }
  int height() const {
    return top() + kCell * static_cast<int>(record.rows.size());
  }
  float At(size_t row, size_t column) const {
    return head == kMean ? record.Mean(layer, row, column)
                         : record.At(layer, head, row, column);
  }
};

void DrawLabels(const Map& map, std::string& svg) {
  const AttentionRecord& record = map.record;
  for (size_t r = 0; r < record.rows.size(); ++r) {
    svg += "<text text-anchor=\"end\" x=\"" + Number(map.left() - 4) +
           "\" y=\"" +
           Number(map.top() + kCell * static_cast<int>(r) + kCell - 3) + "\">" +
           Escape(record.rows[r]) + "</text>\n";
  }
  for (size_t c = 0; c < record.columns.size(); ++c) {
    const std::string x =
        Number(map.left() + kCell * static_cast<int>(c) + kCell - 3);
    svg += "<text transform=\"translate(" + x + " " + Number(map.top() - 4) +
           ") rotate(-90)\">" + Escape(record.columns[c]) + "</text>\n";
  }
}

void DrawCells(const Map& map, std::string& svg) {
  const AttentionRecord& record = map.record;
  for (size_t r = 0; r < record.rows.size(); ++r) {
    for (size_t c = 0; c < record.columns.size(); ++c) {
      const float weight = map.At(r, c);
      if (weight < kSmallest) continue;
      char value[16];
      std::snprintf(value, sizeof(value), "%.4f", static_cast<double>(weight));
      svg += "<rect x=\"" + Number(map.left() + kCell * static_cast<int>(c)) +
             "\" y=\"" + Number(map.top() + kCell * static_cast<int>(r)) +
             "\" width=\"" + Number(kCell) + "\" height=\"" + Number(kCell) +
             "\" fill=\"" + Colour(weight) + "\"><title>" +
             Escape(record.rows[r]) + " \xE2\x86\x92 " +
             Escape(record.columns[c]) + " " + value + "</title></rect>\n";
    }
  }
}

void DrawMap(const Map& map, int x, int y, std::string& svg) {
  svg += "<g transform=\"translate(" + Number(x) + " " + Number(y) + ")\">\n";
  svg += "<text font-weight=\"bold\" x=\"0\" y=\"12\">Layer " +
         std::to_string(map.layer + 1) +
         (map.head == kMean ? ", mean of all heads"
                            : ", head " + std::to_string(map.head + 1)) +
         "</text>\n";
  DrawLabels(map, svg);
  DrawCells(map, svg);
  svg += "<rect x=\"" + Number(map.left()) + "\" y=\"" + Number(map.top()) +
         "\" width=\"" + Number(map.right() - map.left()) + "\" height=\"" +
         Number(map.height() - map.top()) +
         "\" fill=\"none\" stroke=\"#999\"/>\n</g>\n";
}

void DrawScale(std::string& svg) {
  svg += "<defs><linearGradient id=\"scale\">";
  for (int i = 0; i <= 4; ++i) {
    svg += "<stop offset=\"" + Number(25 * i) + "%\" stop-color=\"" +
           Colour(static_cast<float>(i) / 4) + "\"/>";
  }
  svg +=
      "</linearGradient></defs>\n<text x=\"24\" y=\"20\">0</text>"
      "<rect x=\"36\" y=\"10\" width=\"160\" height=\"12\" "
      "fill=\"url(#scale)\" stroke=\"#999\"/>"
      "<text x=\"202\" y=\"20\">1</text>\n";
}

}  // namespace

std::string AttentionSvg(const std::vector<AttentionRecord>& records) {
  std::string maps;
  int widest = 240;
  int y = kGap + kTitle;
  for (const AttentionRecord& record : records) {
    const size_t layer = record.layers - 1;
    std::vector<Map> row;
    if (record.heads > 1) row.push_back({record, layer, kMean});
    for (size_t h = 0; h < record.heads; ++h) row.push_back({record, layer, h});
    for (size_t i = 0; i < row.size(); ++i) {
      const int column = static_cast<int>(i) % kMapsInARow;
      if (i > 0 && column == 0) y += row[i].height() + kGap;
      const int x = kGap + column * (row[i].width() + kGap);
      DrawMap(row[i], x, y, maps);
      widest = std::max(widest, x + row[i].width() + kGap);
    }
    y += row.front().height() + 2 * kGap;
  }
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + Number(widest) +
      "\" height=\"" + Number(y) +
      "\" font-family=\"DejaVu Sans, Noto Sans, sans-serif\" font-size=\"" +
      Number(kFont) +
      "\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#fff\"/>\n";
  DrawScale(svg);
  return svg + maps + "</svg>\n";
}

}  // namespace latimer::cli
