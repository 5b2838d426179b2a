#include <algorithm>
#include <array>
#include <cmath>

#include "cli/attention.h"
#include "report/format.h"

namespace latimer::cli {
namespace {

// In pixels.
constexpr int kCell = 14;
constexpr int kFont = 11;
constexpr int kGap = 24;
constexpr int kTitle = 22;
constexpr int kTitleWidth = 190;
constexpr int kMapsInARow = 3;
// A generous width of a label's characters, which are not measured.
constexpr double kCharacter = 0.62 * kFont;

// Smaller weights are not drawn: most of a map stays white.
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

// The number of UTF-8 characters.
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

// From white over blue to dark blue.
std::string Colour(float weight) {
  constexpr std::array<std::array<int, 3>, 5> kStops = {{{255, 255, 255},
                                                         {198, 219, 239},
                                                         {107, 174, 214},
                                                         {33, 113, 181},
                                                         {8, 48, 107}}};
  const float x = std::clamp(weight, 0.0f, 1.0f) * (kStops.size() - 1);
  const auto i = std::min<size_t>(kStops.size() - 2, static_cast<size_t>(x));
  const float f = x - static_cast<float>(i);
  unsigned rgb[3];
  for (size_t k = 0; k < 3; ++k) {
    const auto low = static_cast<float>(kStops[i][k]);
    const auto high = static_cast<float>(kStops[i + 1][k]);
    rgb[k] = static_cast<unsigned>(std::lround(low + (high - low) * f));
  }
  return Format("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

// One head of a layer, or, with kMean, the mean of all heads.
constexpr size_t kMean = static_cast<size_t>(-1);
class Map {
 public:
  Map(const AttentionRecord& record, size_t layer, size_t head)
      : record_(record),
        layer_(layer),
        head_(head),
        left_(LabelWidth(record.rows)),
        top_(kTitle + LabelWidth(record.columns)),
        cells_width_(kCell * static_cast<int>(record.columns.size())),
        cells_height_(kCell * static_cast<int>(record.rows.size())) {}

  int width() const { return std::max(left_ + cells_width_, kTitleWidth); }
  int height() const { return top_ + cells_height_; }

  std::string Draw(int x, int y) const {
    return Format(
               "<g transform=\"translate(%d %d)\">\n"
               "<text font-weight=\"bold\" x=\"0\" y=\"12\">Layer %zu",
               x, y, layer_ + 1) +
           (head_ == kMean ? ", mean of all heads"
                           : Format(", head %zu", head_ + 1)) +
           "</text>\n" + Labels() + Cells() +
           Format(
               "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
               "fill=\"none\" stroke=\"#999\"/>\n</g>\n",
               left_, top_, cells_width_, cells_height_);
  }

 private:
  int CellX(size_t column) const {
    return left_ + kCell * static_cast<int>(column);
  }
  int CellY(size_t row) const { return top_ + kCell * static_cast<int>(row); }

  std::string Labels() const {
    std::string svg;
    for (size_t r = 0; r < record_.rows.size(); ++r) {
      svg += Format("<text text-anchor=\"end\" x=\"%d\" y=\"%d\">%s</text>\n",
                    left_ - 4, CellY(r) + kCell - 3,
                    Escape(record_.rows[r]).c_str());
    }
    for (size_t c = 0; c < record_.columns.size(); ++c) {
      svg += Format(
          "<text transform=\"translate(%d %d) rotate(-90)\">%s</text>\n",
          CellX(c) + kCell - 3, top_ - 4, Escape(record_.columns[c]).c_str());
    }
    return svg;
  }

  std::string Cells() const {
    std::string svg;
    for (size_t r = 0; r < record_.rows.size(); ++r) {
      for (size_t c = 0; c < record_.columns.size(); ++c) {
        const float weight = head_ == kMean ? record_.Mean(layer_, r, c)
                                            : record_.At(layer_, head_, r, c);
        if (weight < kSmallest) continue;
        svg += Format(
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
            "fill=\"%s\"><title>%s \xE2\x86\x92 %s %.4f</title></rect>\n",
            CellX(c), CellY(r), kCell, kCell, Colour(weight).c_str(),
            Escape(record_.rows[r]).c_str(), Escape(record_.columns[c]).c_str(),
            static_cast<double>(weight));
      }
    }
    return svg;
  }

  const AttentionRecord& record_;
  size_t layer_, head_;
  int left_, top_, cells_width_, cells_height_;
};

std::string Scale() {
  std::string svg = "<defs><linearGradient id=\"scale\">";
  for (int i = 0; i <= 4; ++i) {
    svg += Format("<stop offset=\"%d%%\" stop-color=\"%s\"/>", 25 * i,
                  Colour(static_cast<float>(i) / 4).c_str());
  }
  return svg +
         "</linearGradient></defs>\n<text x=\"24\" y=\"20\">0</text>"
         "<rect x=\"36\" y=\"10\" width=\"160\" height=\"12\" "
         "fill=\"url(#scale)\" stroke=\"#999\"/>"
         "<text x=\"202\" y=\"20\">1</text>\n";
}

}  // namespace

std::string AttentionSvg(const std::vector<AttentionRecord>& records,
                         size_t shown_layer) {
  std::string maps;
  int widest = 240;
  int y = kGap + kTitle;
  for (const AttentionRecord& record : records) {
    const size_t layer = (shown_layer > 0 ? shown_layer : record.layers) - 1;
    std::vector<Map> row;
    if (record.heads > 1) row.emplace_back(record, layer, kMean);
    for (size_t h = 0; h < record.heads; ++h)
      row.emplace_back(record, layer, h);
    for (size_t i = 0; i < row.size(); ++i) {
      const int column = static_cast<int>(i) % kMapsInARow;
      if (i > 0 && column == 0) y += row[i].height() + kGap;
      const int x = kGap + column * (row[i].width() + kGap);
      maps += row[i].Draw(x, y);
      widest = std::max(widest, x + row[i].width() + kGap);
    }
    y += row.front().height() + 2 * kGap;
  }
  return Format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
             "height=\"%d\" font-family=\"DejaVu Sans, Noto Sans, "
             "sans-serif\" font-size=\"%d\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
             widest, y, kFont) +
         Scale() + maps + "</svg>\n";
}

}  // namespace latimer::cli
