# Prints the SHA256 that latimer_dependency() expects:
#   cmake -DROOT=<source folder> "-DPATHS=include;src" -P cmake/tree_digest.cmake
cmake_minimum_required(VERSION 3.25)
set(LATIMER_CACHE_DIR "")
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
include("${CMAKE_CURRENT_LIST_DIR}/LatimerDependency.cmake")
latimer_tree_digest("${ROOT}" "${PATHS}" digest)
message("${digest}")
