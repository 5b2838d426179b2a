# Sets latimer_convert: this machine's converter, which makes the models of
# builds for other machines, or a false value.
find_program(latimer_convert latimer-convert NO_CACHE
  HINTS "${PROJECT_SOURCE_DIR}/build/host/bin")
