# Fails if a whole program has a function that allocates, prints, throws or
# needs a heap.
#   cmake -DNM=nm -DPROGRAM=<file> -P check_image.cmake
cmake_minimum_required(VERSION 3.25)

if(EXISTS "${PROGRAM}.map")  # Of WebAssembly; nm lists its imports only.
  file(STRINGS "${PROGRAM}.map" lines REGEX ":[(].*[)]$")
  list(TRANSFORM lines REPLACE ".*:[(](.*)[)]$" " T \\1")
  list(JOIN lines "\n" symbols)
  string(APPEND symbols "\n")
else()
  execute_process(COMMAND "${NM}" "${PROGRAM}" OUTPUT_VARIABLE symbols
    COMMAND_ERROR_IS_FATAL ANY)
endif()
if(NOT symbols MATCHES " T _ZN7latimer10Translator4LoadE")
  message(FATAL_ERROR "${PROGRAM} has no Translator::Load: wrong file?")
endif()
# Newlib's names may have an underscore before and _r after them; operators new
# and delete are _Znw, _Zna, _Zdl and _Zda.
set(names "malloc|calloc|realloc|free|memalign|aligned_alloc|strdup|sbrk|brk"
  "mmap|v?[a-z]*printf[a-z_]*|puts|fputs|putchar|fwrite|write|exit|abort|raise"
  "Zn[wa].*|Zd[la].*|_cxa_throw|_cxa_allocate_exception|_cxa_atexit"
  "Unwind_.*|_register_exitproc|signal|_locale_ctype_ptr|impure_data")
list(JOIN names "|" names)
string(REGEX MATCHALL " [A-Za-z] _?(${names})(_r)?\n" bad "${symbols}")
if(bad)
  message(FATAL_ERROR "${PROGRAM} has${bad}")
endif()
string(REGEX MATCHALL " [tTwW] " functions "${symbols}")
list(LENGTH functions count)
message("${count} functions, none of them forbidden")
