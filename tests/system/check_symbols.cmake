# Reads the symbols that a library refers to and fails if one is forbidden.
#   cmake -DNM=nm -DLIBRARY=liblatimer.a -DTHREADS=ON|OFF
#     [-DPREFIX=<what names in C begin with>] -P check_symbols.cmake
# Forbidden are all allocators; without THREADS, thread creation too. mmap
# belongs to latimer::MappedFile: check_includes.cmake keeps it in one file.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${NM}" --undefined-only --format=posix "${LIBRARY}"
  OUTPUT_VARIABLE output RESULT_VARIABLE code ERROR_QUIET)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${NM} cannot read ${LIBRARY}")
endif()
string(REPLACE ";" "," output "${output}")
string(REPLACE "\n" ";" lines "${output}")

set(forbidden malloc calloc realloc reallocarray free posix_memalign
  aligned_alloc memalign valloc strdup brk sbrk __cxa_throw
  __cxa_allocate_exception)
if(NOT THREADS)
  list(APPEND forbidden pthread_create)
endif()
set(seen 0)
set(bad "")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^${PREFIX}([^ ]+) U")
    continue()
  endif()
  math(EXPR seen "${seen} + 1")
  set(symbol "${CMAKE_MATCH_1}")
  # operator new and delete in every form: _Znw, _Zna, _Zdl, _Zda.
  if(symbol IN_LIST forbidden OR symbol MATCHES "^_Z(n[wa]|d[la])")
    list(APPEND bad "${symbol}")
  endif()
endforeach()
if(seen EQUAL 0)
  message(FATAL_ERROR "${LIBRARY} refers to no symbol at all: wrong file?")
endif()
if(bad)
  list(REMOVE_DUPLICATES bad)
  message(FATAL_ERROR "${LIBRARY} refers to ${bad}")
endif()
message(STATUS "${seen} references, none to an allocator")
