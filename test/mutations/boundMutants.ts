import type { Mutant } from "./Mutant.ts"

const silent = ["test/upstreams/silentStreams.test.ts"]
const inTurns = ["test/upstreams/answersInTurns.test.ts"]
const read = ["test/upstreams/client.test.ts"]

/** What an upstream sends without end, or at once. */
export const boundMutants: ReadonlyArray<Mutant> = [
  {
    name: "streams: comments are read for ever",
    file: "src/upstreams/framing/Framing.ts",
    snippet: "const silenceLimit = 4 * 1024 * 1024",
    replacement: "const silenceLimit = Infinity",
    tests: silent
  },
  {
    name: "streams: comments count nothing",
    file: "src/upstreams/framing/sse.ts",
    snippet: "silence.add(line.length + 1)",
    replacement: "",
    tests: silent
  },
  {
    name: "streams: unknown messages of AWS count nothing",
    file: "src/upstreams/framing/awsEventStream.ts",
    snippet: "if (frame === undefined) this.#silence.add(this.#needed)\n      else frames.push(frame)",
    replacement: "if (frame !== undefined) frames.push(frame)",
    tests: silent
  },
  {
    name: "streams: an event has any number of lines",
    file: "src/upstreams/framing/sse.ts",
    snippet: "hold(furtherLine)",
    replacement: "hold(0)",
    tests: silent
  },
  {
    name: "streams: frames that say nothing are translated for ever",
    file: "src/upstreams/translated.ts",
    snippet: "const mostSilent = 64 * 1024 * 1024",
    replacement: "const mostSilent = Infinity",
    tests: silent
  },
  {
    name: "streams: the text of a translated answer is kept without end",
    file: "src/upstreams/ItemCount.ts",
    snippet: "if (this.#length > mostText) return tooMuchText",
    replacement: "",
    tests: silent
  },
  {
    name: "streams: finished items are kept without end",
    file: "src/upstreams/passthrough/events.ts",
    snippet: "if (this.#itemsLength > eventLimit) return",
    replacement: "if (this.#itemsLength > Infinity) return",
    tests: silent
  },
  {
    name: "ledger: the text of an answer is kept without end to be counted",
    file: "src/ledger/Output.ts",
    snippet: "const mostHeld = 4 * 1024 * 1024",
    replacement: "const mostHeld = Infinity",
    tests: ["test/ledger/output.test.ts"]
  },
  {
    name: "streams: chunks before an answer's beginning are read for ever",
    file: "src/upstreams/passthrough/chunks.ts",
    snippet: "(this.#silence ??= new Silence()).add(bytes.length)",
    replacement: "return isOver",
    tests: silent
  },
  {
    name: "streams: events before an answer's beginning are read for ever",
    file: "src/upstreams/passthrough/events.ts",
    snippet: "(this.#silence ??= new Silence()).add(bytes)",
    replacement: "",
    tests: silent
  },
  {
    name: "streams: frames of an answer that is gathered count their text alone",
    file: "src/upstreams/passthrough/gathered.ts",
    snippet: "const frameLength = 64",
    replacement: "const frameLength = 0",
    tests: silent
  },
  {
    name: "streams: a stream is as long as its upstream likes",
    file: "src/upstreams/generationOf.ts",
    snippet: "const streamLimit = 256 * 1024 * 1024",
    replacement: "const streamLimit = Infinity",
    tests: inTurns
  },
  {
    name: "streams: events count their bytes alone",
    file: "src/upstreams/generationOf.ts",
    snippet: "const eventBytes = 100",
    replacement: "const eventBytes = 0",
    tests: inTurns
  },
  {
    name: "streams: a long answer in one piece is worked on at once",
    file: "src/upstreams/generationOf.ts",
    snippet: "if (text.length < (isFrames ? inTurnsFrom.frames : inTurnsFrom.json)) return",
    replacement: "if (parts !== undefined) return",
    tests: inTurns
  },
  {
    name: "upstreams: what came at once is given at once",
    file: "src/upstreams/Exchange.ts",
    snippet: "this.#rest = bytes.length > most ? bytes.subarray(most) : undefined",
    replacement: "this.#rest = bytes.length > Infinity ? bytes.subarray(most) : undefined",
    tests: read
  },
  {
    name: "upstreams: a body's pieces leave the event loop no turn",
    file: "src/upstreams/Exchange.ts",
    snippet: "await ownTurn()\n    this.#givenBytes = 0",
    replacement: "this.#givenBytes = 0",
    tests: read
  },
  {
    name: "upstreams: what is unpacked leaves the event loop no turn",
    file: "src/upstreams/Exchange.ts",
    snippet: "this.#isPacked = body !== this.#response.body",
    replacement: "this.#isPacked = false",
    tests: read
  },
  {
    name: "upstreams: frames before an answer are gathered without end",
    file: "src/upstreams/accepting.ts",
    snippet: "const mostBeginning = 1_000",
    replacement: "const mostBeginning = Infinity",
    tests: inTurns
  },
  {
    name: "prices: a row has any number of lengths of input",
    file: "src/catalogue/prices/fetched/litellm.ts",
    snippet: "const mostTiers = 16",
    replacement: "const mostTiers = Infinity",
    tests: ["test/catalogue/fetchedPrices.test.ts"]
  }
]
