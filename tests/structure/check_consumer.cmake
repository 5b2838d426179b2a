# A project that adds Latimer with add_subdirectory() and asks for nothing but
# latimer_runtime compiles what includes the public headers.
#   cmake -DROOT=<source dir> -DWORK=<folder> -DCOMPILER=<C++ compiler>
#     -DCACHE=<LATIMER_CACHE_DIR> -P check_consumer.cmake
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${WORK}")
file(WRITE "${WORK}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX)
add_subdirectory(\"${ROOT}\" latimer EXCLUDE_FROM_ALL)
add_executable(consumer main.cc)
target_link_libraries(consumer PRIVATE latimer_runtime)
")
file(WRITE "${WORK}/main.cc" "#include \"latimer/latimer.h\"
#include \"latimer/plan.h\"
#include \"latimer/text_stream.h\"
int main() { return latimer::Translator().under_way() == 0 ? 0 : 1; }
")

function(run)
  execute_process(COMMAND ${ARGV}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" -G Ninja -S "${WORK}" -B "${WORK}/build"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DLATIMER_CACHE_DIR=${CACHE}"
  -DLATIMER_CONVERTER=OFF)
# The object file alone: linking would build the whole runtime.
run("${CMAKE_COMMAND}" --build "${WORK}/build"
  --target CMakeFiles/consumer.dir/main.cc.o)
