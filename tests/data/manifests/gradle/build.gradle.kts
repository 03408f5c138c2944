val moshiVersion = "1.15.0"
dependencies {
    implementation(libs.ktor.server.core)
    implementation(libs.okhttp)
    // implementation("gone:gone:1.0")
    implementation("com.squareup.moshi:moshi:$moshiVersion")
    testImplementation(group = "org.mockito", name = "mockito-core", version = "5.11.0")
}
