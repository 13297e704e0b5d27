/**
 * The Java client of Detent for coroutines: suspending functions and flows, in one file to copy. Needs `detent-client` and
 * `kotlinx-coroutines-core`. Cancelling a coroutine or a collector stops waiting and watching; the run at the gateway goes on, and
 * `cancel` ends it.
 */
package dev.detent

import dev.detent.wire.ConfirmRequest
import dev.detent.wire.QuestionAsked
import dev.detent.wire.RunEnd
import dev.detent.wire.WireMessage
import java.util.UUID
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.awaitClose
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.callbackFlow
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.suspendCancellableCoroutine

/**
 * The messages of the whole conversation, while somebody collects them. They wait for a slow collector in memory, so the client's
 * executor is never held up.
 */
fun Engine.messages(): Flow<WireMessage> =
  callbackFlow {
    val listener = WireListener { message -> trySend(message) }
    addWireListener(listener)
    awaitClose { removeWireListener(listener) }
  }.buffer(Channel.UNLIMITED)

/**
 * Says something, and gives the messages of its run. It is said when the flow is first collected, and once, however often that
 * happens: a later collector gets what is left of the run.
 *
 * @throws DetentException in the collector, when the run fails, is cancelled, or cannot be begun
 */
fun Engine.stream(vararg parts: ContentPart, key: String = UUID.randomUUID().toString()): Flow<WireMessage> =
  callbackFlow {
    val callback =
      object : StreamCallback<WireMessage> {
        override fun onNext(chunk: WireMessage) {
          trySend(chunk)
        }

        override fun onComplete() {
          close()
        }

        override fun onError(error: Throwable) {
          close(error)
        }
      }
    stream(parts.asList(), key, callback)
    awaitClose()
  }.buffer(Channel.UNLIMITED)

/** @see stream */
fun Engine.stream(text: String): Flow<WireMessage> = stream(ContentPart.text(text))

/** Says something, and returns the last answer. @throws DetentException when the run fails or is cancelled */
suspend fun Engine.ask(vararg parts: ContentPart, key: String = UUID.randomUUID().toString()): String {
  var text = ""
  stream(*parts, key = key).collect { message -> if (message is RunEnd) text = message.content }
  return text
}

/** @see ask */
suspend fun Engine.ask(text: String): String = ask(ContentPart.text(text))

/** Decides on a call. @throws DetentException `HASH_MISMATCH`, `DECIDED_BEFORE` and others */
suspend fun Engine.confirm(request: ConfirmRequest, decision: Decision) = ended { confirm(request, decision, it) }

/** @param answer a text, a list of the options chosen, a map of the fields of a form; null closes the question unanswered */
suspend fun Engine.answer(question: QuestionAsked, answer: Any?) = ended { answer(question, answer, it) }

/** Adds a message to a run. The next model call gets it. */
suspend fun Engine.steer(runId: String, message: String) = ended { steer(runId, message, it) }

/** Ends a run, which stopping to collect does not. */
suspend fun Engine.cancel(runId: String, reason: String? = null) = ended { cancel(runId, reason, it) }

/** Says what the last answer of a run was worth. */
suspend fun Engine.rate(runId: String, thumb: Thumb, reason: String? = null) = ended { rate(runId, thumb, reason, it) }

/** Returns when the gateway has answered. Without a connection that may be later: the client keeps and sends it, also if nobody waits. */
private suspend fun ended(begin: (EngineCallback) -> Unit) =
  suspendCancellableCoroutine<Unit> { continuation ->
    begin(
      object : EngineCallback {
        override fun onComplete() = continuation.resume(Unit)

        override fun onError(error: Throwable) = continuation.resumeWithException(error)
      }
    )
  }

/** Brings a run up to date for a push message. Cancelling it stops waiting. */
suspend fun DetentClient.syncRun(runId: String, timeoutMs: Long): SyncResult =
  runInterruptible(Dispatchers.IO) { sync(runId, timeoutMs) }

/** Sends a file, for [ContentPart.attachment]. @return its id */
suspend fun DetentClient.uploadFile(bytes: ByteArray, mimeType: String, name: String? = null): String =
  runInterruptible(Dispatchers.IO) { upload(bytes, mimeType, name) }

/** The state of the connection, in place of a `stateListener`. Call it once, before the client is made. */
fun DetentConfig.states(): StateFlow<ConnectionState> {
  val states = MutableStateFlow(if (isStartedInBackground) ConnectionState.BACKGROUND else ConnectionState.IDLE)
  stateListener { state, _ -> states.value = state }
  return states.asStateFlow()
}

/** A tool of the app whose work suspends. It is cancelled when it takes longer than `toolTimeoutMs`, or the client ends. */
fun tool(
  name: String,
  description: String,
  sideEffect: SideEffect,
  schema: ToolSchema = ToolSchema(),
  work: suspend (arguments: String, call: ToolCall) -> ToolResult,
): Tool =
  object : Tool {
    override fun getName() = name

    override fun getDescription() = description

    override fun getSchema() = schema

    override fun getSideEffect() = sideEffect

    override fun execute(arguments: String, call: ToolCall) = runBlocking { work(arguments, call) }
  }
