// The C API on top of the C++ one: HTML.

#include "latimer/streams.h"
#include "latimer_c.h"

struct latimer_html
    : latimer::ReceivedStream<latimer::HtmlStream, latimer_html_receiver> {
  latimer_html(latimer_translator* of, const latimer::TranslateOptions& options,
               latimer_html_receiver to, void* with)
      : ReceivedStream(of, options, &Receive, to, with) {}

  static void Receive(void* self, std::string_view bytes) {
    const auto* html = static_cast<ReceivedStream*>(self);
    html->receiver(html->context, bytes.data(), bytes.size());
  }
};

static_assert(sizeof(latimer_html) <= LATIMER_HTML_BYTES);

size_t latimer_html_bytes(void) { return sizeof(latimer_html); }

latimer_html* latimer_html_begin(latimer_translator* translator,
                                 const latimer_options* options,
                                 latimer_html_receiver receiver, void* context,
                                 void* memory, size_t memory_bytes) {
  return latimer::BeginIn<latimer_html>(
      memory, memory_bytes, "HTML is translated in latimer_html_bytes() bytes.",
      translator, options, receiver, context);
}

latimer_code latimer_html_push(latimer_html* html, const char* bytes,
                               size_t byte_count) {
  return html->Push(bytes, byte_count);
}

latimer_code latimer_html_finish(latimer_html* html) { return html->Finish(); }
