import dev.detent.Agent
import dev.detent.Decision
import dev.detent.DetentClient
import dev.detent.DetentConfig
import dev.detent.DetentException
import dev.detent.Json
import dev.detent.SideEffect
import dev.detent.Thumb
import dev.detent.TokenProvider
import dev.detent.ToolResult
import dev.detent.ask
import dev.detent.confirm
import dev.detent.messages
import dev.detent.rate
import dev.detent.states
import dev.detent.stream
import dev.detent.syncRun
import dev.detent.tool
import dev.detent.wire.ConfirmRequest
import dev.detent.wire.ContentPartMessage
import dev.detent.wire.RunEnd
import java.io.File
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** An app in Kotlin: goes through its day with a gateway, and says as lines of JSON what came. */
fun main(args: Array<String>) = runBlocking {
  val (url, token, folder) = args
  val config = DetentConfig(url, TokenProvider { token }, File(folder)).token(token).toolTimeoutMs(500)
  val states = config.states()
  val client = DetentClient(config)
  fun say(what: String, value: Any?) = println(Json.write(mapOf("what" to what, "value" to value)))

  var wasCancelled = false
  client.registerTool(tool("camera", "Takes a photo.", SideEffect.READONLY) { _, _ ->
    delay(1)
    ToolResult.success("a fern")
  })
  client.registerTool(tool("asleep", "Never ends.", SideEffect.READONLY) { _, _ ->
    try {
      delay(Long.MAX_VALUE)
      ToolResult.success("")
    } finally {
      wasCancelled = true
    }
  })
  val engine = client.createEngine(Agent.builder().build(), "talk")

  var text = ""
  val paying = engine.stream("Pay.")
  var run = ""
  paying.collect { message ->
    run = message.runId
    if (message is ContentPartMessage) text += message.content
    if (message is ConfirmRequest) engine.confirm(message, Decision.approve())
  }
  say("streamed", text)
  say("collected again", paying.toList().size)
  engine.rate(run, Thumb.DOWN, "too dear")

  // A collector that is cancelled: the run goes on, and who still listens hears its end.
  val begun = CompletableDeferred<String>()
  val end = async(start = CoroutineStart.UNDISPATCHED) { engine.messages().first { it is RunEnd } as RunEnd }
  val watching = launch {
    engine.stream("Count.").collect {
      begun.complete(it.runId)
      delay(Long.MAX_VALUE)
    }
  }
  say("counting", begun.await())
  watching.cancel()
  watching.join()
  say("left", watching.isCancelled)
  readlnOrNull()
  say("heard", end.await().content)

  try {
    engine.ask("Fail.")
  } catch (error: DetentException) {
    say("failed", error.code)
  }
  say("asked", engine.ask("Photo."))
  say("tool cancelled", wasCancelled)
  say("synced", client.syncRun(run, 5000).status)
  say("state", states.value.name)
  client.shutdown()
  say("threads", Thread.getAllStackTraces().keys.map { it.name }.filter { it.startsWith("detent") })
}
