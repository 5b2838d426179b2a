package dev.latimer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON that the `latimer` program has written: maps, lists, strings and doubles. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Map<?, ?> object(String text) {
    return (Map<?, ?>) new Json(text).value();
  }

  private Object value() {
    char c = next();
    if (c == '"') return string();
    if (c == '[') {
      List<Object> list = new ArrayList<>();
      while (!ends(']')) list.add(value());
      return list;
    }
    if (c == '{') {
      Map<String, Object> map = new LinkedHashMap<>();
      while (!ends('}')) {
        next(); // A quotation mark.
        String key = string();
        next(); // A colon.
        map.put(key, value());
      }
      return map;
    }
    int begin = at - 1;
    while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) ++at;
    String word = text.substring(begin, at);
    return word.equals("null") ? null : Double.valueOf(word);
  }

  /** Reads the end of a list, or a comma between its items. */
  private boolean ends(char end) {
    char c = next();
    if (c == end) return true;
    if (c != ',') --at;
    return false;
  }

  private char next() {
    while (text.charAt(at) == ' ' || text.charAt(at) == '\n') ++at;
    return text.charAt(at++);
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    for (char c; (c = text.charAt(at++)) != '"'; ) {
      if (c != '\\') {
        out.append(c);
        continue;
      }
      c = text.charAt(at++);
      if (c == 'u') {
        out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
        at += 4;
      } else {
        int known = "ntbrf".indexOf(c);
        out.append(known < 0 ? c : "\n\t\b\r\f".charAt(known));
      }
    }
    return out.toString();
  }
}
