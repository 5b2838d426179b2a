# Installs BUILD in PREFIX, where nothing of an earlier installation stays.
#   cmake -DBUILD=<build> -DPREFIX=<folder> -P install.cmake
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}"
  --prefix "${PREFIX}" COMMAND_ERROR_IS_FATAL ANY)
