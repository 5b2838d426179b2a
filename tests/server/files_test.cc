// Files that wait to be fetched, XHTML, and the parameters of forms.
// Tests server/files.cc, server/markup.cc, server/http_form.cc,
// server/http_message.cc.
#include "server/files.h"

#include <gtest/gtest.h>

#include <string>

#include "server/archive.h"
#include "server/http_form.h"
#include "server/http_message.h"
#include "server/markup.h"

namespace latimer::server::files_test {

TEST(FileStore, CountsNamesAndWhatKeepsThem) {
  FileStore store(10'000);
  const std::string first = store.Keep(std::string(100, 'n') + ".txt", "x");
  ASSERT_TRUE(first.ends_with(".txt"));
  EXPECT_EQ(store.Find(first), "x");
  EXPECT_EQ(store.Find("y"), std::nullopt);
  // Some 400 bytes each.
  std::string last;
  for (int i = 0; i < 30; ++i) {
    last = store.Keep(std::string(100, 'n') + ".txt", "x");
  }
  EXPECT_EQ(store.Find(first), std::nullopt);
  EXPECT_EQ(store.Find(last), "x");
  EXPECT_EQ(store.Keep("a", std::string(10'000, 'x')), "");
  EXPECT_EQ(store.Find(last), "x");
}

TEST(Xhtml, IsRefusedIfATagOfItsTranslationHasNoEnd) {
  EXPECT_EQ(XhtmlOf("<a/>", "b <img latimer=0>"), "b <a/>");
  for (const char* html : {"<img latimer=0", "<hr latimer=0", "<img latimer=",
                           "<img latimer=0 >", "<img latimer=1>"}) {
    EXPECT_THROW(XhtmlOf("<a/>", html), Damaged) << html;
  }
}

TEST(Form, IsReadAsBrowsersWriteIt) {
  const auto form = ParseForm("q=a+b%C3%A4%&&=x&empty&q=c=d");
  ASSERT_TRUE(form.has_value());
  ASSERT_EQ(form->size(), 3u);
  EXPECT_EQ((*form)[0].value, "a bä%");
  EXPECT_EQ((*form)[1].name, "empty");
  EXPECT_EQ((*form)[2].value, "c=d");
}

TEST(Parts, AreReadAsBrowsersAndCurlWriteThem) {
  EXPECT_EQ(BoundaryOf("multipart/form-data; charset=x; Boundary=\"a b\""),
            "a b");
  EXPECT_EQ(BoundaryOf("multipart/form-data"), std::nullopt);
  const auto parts = ParseParts(
      "preamble\r\n--X\r\nContent-Disposition: form-data; name=\"a\\\"b\"\r\n"
      "Content-Type: text/plain\r\n\r\n1\r\n--Y\r\n\r\n"
      "--X \r\ncontent-disposition:form-data;name=f;filename=\"a\\b.txt\"\r\n"
      "\r\n\r\n--X\r\nContent-Disposition: form-data; name=\"g\"; "
      "filename=\"x\"; filename*=UTF-8''%C3%A4\r\n\r\n2\r\n--X--\r\nepilogue",
      "X");
  ASSERT_TRUE(parts.has_value());
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_EQ((*parts)[0].name, "a\"b");
  EXPECT_EQ((*parts)[0].value, "1\r\n--Y\r\n");
  EXPECT_EQ((*parts)[1].name, "f");
  EXPECT_EQ((*parts)[1].file_name, "a\\b.txt");
  EXPECT_EQ((*parts)[1].value, "");
  EXPECT_EQ((*parts)[2].file_name, "ä");
  for (const char* wrong :
       {"", "--X", "--X\r\n", "--X\r\n\r\n",
        "--X\r\nContent-Disposition: "
        "form-data; name=a\r\n\r\nx",
        "--X\r\na: b\r\n\r\nx\r\n--X--",
        "--X\r\nContent-Disposition: form-data\r\n\r\nx\r\n--X--"}) {
    EXPECT_FALSE(ParseParts(wrong, "X").has_value()) << wrong;
  }
}

TEST(Head, HasFieldsWhateverTheirCase) {
  HttpRequest request;
  ASSERT_EQ(ParseHead("GET http://h/a%20b?c=%20#d HTTP/1.0\r\nX-y:  a b \r\n"
                      "Connection: x, Keep-Alive\r\n\r\n",
                      &request),
            0);
  EXPECT_EQ(request.path, "/a b");
  EXPECT_EQ(request.query, "c=%20");
  EXPECT_EQ(request.Field("X-Y"), "a b");
  EXPECT_FALSE(WantsClose(request));
  EXPECT_EQ(ParseHead("GET / HTTP/1.1\r\n", &request), 400);
  EXPECT_EQ(ParseHead("", &request), 400);
}

}  // namespace latimer::server::files_test
