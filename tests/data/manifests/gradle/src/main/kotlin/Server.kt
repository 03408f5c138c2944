package shop

import com.squareup.moshi.Moshi
import io.ktor.server.core.Application
import okhttp3.OkHttpClient
