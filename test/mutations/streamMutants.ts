import type { Mutant } from "./Mutant.ts"

const streamed = ["test/pipeline/silence.test.ts"]

/** Streams without a reader or without a source. */
export const streamMutants: ReadonlyArray<Mutant> = [
  {
    name: "answering: a paused reader is never cut",
    file: "src/pipeline/streamed.ts",
    snippet: "const readerDeadline = 120_000",
    replacement: "const readerDeadline = Infinity",
    tests: streamed
  },
  {
    name: "answering: a paused reader is cut too soon",
    file: "src/pipeline/streamed.ts",
    snippet: "const readerDeadline = 120_000",
    replacement: "const readerDeadline = 60_000",
    tests: streamed
  },
  {
    name: "answering: the generation of a paused reader goes on",
    file: "src/pipeline/streamed.ts",
    snippet: '      this.#end("hang-up")\n      this.#controller?.error',
    replacement: "      this.#controller?.error",
    tests: streamed
  },
  {
    name: "answering: a silent upstream is waited for without end",
    file: "src/pipeline/streamed.ts",
    snippet: "const idleDeadline = 300_000",
    replacement: "const idleDeadline = Infinity",
    tests: streamed
  },
  {
    name: "answering: no word while the upstream is silent",
    file: "src/pipeline/streamed.ts",
    snippet: "this.#controller?.enqueue(utf8.encode(this.#options.heartbeat))",
    replacement: "",
    tests: streamed
  },
  {
    name: "upstreams: an answer may be silent for ever",
    file: "src/upstreams/Exchange.ts",
    snippet: "const due = this.#lastReadMs + this.#idleMs",
    replacement: "const due = this.#lastReadMs + this.#idleMs + 1e9",
    tests: ["test/upstreams/textUpstream.test.ts", "test/upstreams/connections.test.ts"]
  },
  {
    name: "upstreams: any number of stop sequences is looked for",
    file: "src/upstreams/unsendable.ts",
    snippet: "if (characters <= mostStopCharacters) return undefined",
    replacement: "if (characters >= 0) return undefined",
    tests: ["test/upstreams/textUpstream.test.ts", "test/upstreams/connections.test.ts"]
  },
  {
    name: "upstreams: a text that may go on to a stop sequence leaves before it",
    file: "src/upstreams/protocols/StopSearch.ts",
    snippet: "this.#failures[made] = place === 0 ? 0 : this.step(failure, unit)",
    replacement: "this.#failures[made] = 0",
    tests: ["test/upstreams/protocols/stops.test.ts"]
  },
  {
    name: "http: who takes nothing of an answer is waited for",
    file: "src/http/route.ts",
    snippet: "if (exchange.hasWaited) server.timeout(request, serving.takingSeconds)",
    replacement: "",
    tests: ["test/http/taking.test.ts"]
  },
  {
    name: "http: a body that names a key twice is sent on as it came",
    file: "src/contract/BodyText.ts",
    snippet: "if (keysIn(body) === places.keys) {",
    replacement: "if (keysIn(body) <= places.keys) {",
    tests: ["test/http/body.test.ts"]
  },
  {
    name: "models: a body's text lives as long as its stream",
    file: "src/dispatch/Dispatch.ts",
    snippet: "work.request.bodyText?.forget()",
    replacement: "",
    tests: ["test/dispatch/patience.test.ts"]
  },
  {
    name: "upstreams: an address that the caller has escaped is taken for an inner one",
    file: "src/upstreams/refused.ts",
    snippet: "sent: plain(sent), isPassthrough",
    replacement: "sent, isPassthrough",
    tests: ["test/e2e/upstreams/passing.test.ts"]
  },
  {
    name: "http: a compressed body is read on as long as nothing comes out of it",
    file: "src/http/body.ts",
    snippet: "if (bytes > limit) controller.error(tooLarge(limit))",
    replacement: "if (bytes > Infinity) controller.error(tooLarge(limit))",
    tests: ["test/http/server.test.ts", "test/http/streams.test.ts"]
  },
  {
    name: "chat: of several answers no reasoning is kept",
    file: "src/chat/Joined.ts",
    snippet: "await Promise.all(this.#parts.flatMap(({ state }) => this.#options.keep(messageOf(state)) ?? []))",
    replacement: "",
    tests: ["test/e2e/upstreams/chatAgents.test.ts"]
  },
  {
    name: "upstreams: reasoning goes to any model of who made it",
    file: "src/generation/origin.ts",
    snippet: "origin?.by === by && (origin.model ?? model) === model",
    replacement: "origin?.by === by",
    tests: ["test/upstreams/protocols/anthropicMessages.test.ts"]
  },
  {
    name: "upstreams: an answer that pauses is gone on with for ever",
    file: "src/upstreams/continued.ts",
    snippet: "this.#round < mostRounds ? this.#nextRound(used) : undefined",
    replacement: "this.#nextRound(used)",
    tests: ["test/e2e/upstreams/paused.test.ts"]
  },
  {
    name: "videos: a task that is taken back keeps its hold",
    file: "src/tasks/store/removal.ts",
    snippet: 'yield* changed(patched(task, { state: "failed", error }, nowMs))',
    replacement: "yield* Effect.void",
    tests: ["test/e2e/upstream-videos.test.ts"]
  },
  {
    name: "videos: an unanswered submit is made again elsewhere",
    file: "src/videos/VideoKind.ts",
    snippet: ": again({ fingerprint: unansweredOf(upstream, task, sent) }, reconcileAfterMs)",
    replacement: ": again({ submitAtMs: null }, 0)",
    tests: ["test/videos/videoKind.test.ts", "test/videos/videoPlaces.test.ts", "test/videos/silentUpstream.test.ts"]
  }
]
