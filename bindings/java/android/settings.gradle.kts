pluginManagement {
  repositories {
    google()
    mavenCentral()
  }
}

rootProject.name = "latimer"
