import {
  annotations,
  anywhere,
  astray,
  calls,
  choices,
  families,
  found,
  interleaved,
  protocols,
  repeated,
  saidItems,
  silent,
  turns
} from "./answerKinds.ts"
import type { FamilyName, ProtocolName } from "./answerKinds.ts"
import { many } from "./Hostile.ts"
import { pack } from "./packed.ts"
import type { Encoding } from "./packed.ts"
import { emptyFrames, finishedItems, grounded, longTexts, pieces, repeatedTo, sourced } from "./streamKinds.ts"
import type { Forms, FormsOn } from "./streamKinds.ts"

/** A hostile answer, on each protocol that can carry it. */
interface HostileAnswer {
  readonly name: string
  /** The worst are measured on every pairing of a family and a protocol, the others on that of their own. */
  readonly isWorst: boolean
  readonly on: FormsOn
  readonly packed?: Encoding
  /** The longest part of it that is one, in bytes: a stream is worked on in parts. Otherwise all of it counts. */
  readonly partBytes?: number
}

const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`
const worst = (name: string, on: FormsOn): HostileAnswer => ({ name, isWorst: true, on })
const other = (name: string, on: FormsOn): HostileAnswer => ({ name, isWorst: false, on })
const inParts = (answer: HostileAnswer, more: Pick<HostileAnswer, "packed" | "partBytes"> = {}): HostileAnswer => ({
  ...answer,
  partBytes: 0,
  ...more
})
/** A text, or items, that go on to be one until they are too long. */
const growing = { packed: "gzip", partBytes: 32 * 1_048_576 } as const

/** What an upstream may answer with to harm others. */
export const answers: ReadonlyArray<HostileAnswer> = [
  worst("4,000 calls", calls(4_000)),
  worst("8,000 calls", calls(8_000)),
  worst("100,000 calls", calls(100_000)),
  worst("9,000 annotations", annotations(9_000)),
  worst("20,000 annotations", annotations(20_000)),
  other("100,000 annotations", annotations(100_000)),
  worst("9,000 turns", turns(9_000)),
  worst("100,000 turns", turns(100_000)),
  worst("10,000 messages", saidItems(10_000)),
  other("100,000 pieces astray", astray(100_000)),
  other("9,000 choices beside a note of 1 MB", repeated(9_000, 1_000_000)),
  worst("2,000 calls at once", interleaved(2_000, 20)),
  worst("9,000 calls at once", interleaved(9_000, 5)),
  worst("9,000 search results", found(9_000)),
  other("100,000 search results", found(100_000)),
  worst("9,000 choices", choices(9_000)),
  other("100,000 choices", choices(100_000)),
  worst(
    "2 MiB of open lists",
    anywhere(() => "[".repeat(2 * 1_048_576))
  ),
  worst(
    "an object of a million open lists",
    anywhere(() => `{"a":${"[".repeat(1_048_576)}`)
  ),
  worst(
    "a million levels",
    anywhere(() => nested(1_048_576))
  ),
  worst(
    "65 levels",
    anywhere(() => nested(64))
  ),
  worst(
    "10 million empty lists",
    anywhere(() => `{"a":[${"[],".repeat(10_000_000)}1]}`)
  ),
  worst(
    "2 million empty objects",
    anywhere(() => `{"a":[${"{},".repeat(2_000_000)}1]}`)
  ),
  worst(
    "a million keys",
    anywhere(() => `{${many(1_000_000, (index) => `"k${index}":1`).join(",")}}`)
  ),
  other(
    "10 million numbers",
    anywhere(() => `{"a":[${"1,".repeat(10_000_000)}1]}`)
  ),
  worst("a million silent frames", silent(1_000_000)),
  ...repeatedTo(128).flatMap(([name, on, encodings, isWorst = false]) =>
    encodings.map((packed, at) =>
      inParts({ name: `${name}, by ${packed}`, isWorst: isWorst && at === 0, on }, { packed })
    )
  ),
  inParts(other("200,000 frames of 16 bytes", emptyFrames(200_000))),
  inParts(other("128 MiB of frames of 16 bytes, by gzip", emptyFrames(8_388_608)), { packed: "gzip" }),
  inParts(worst("200 MiB of one text in long pieces, by gzip", pieces(200, 32_768, false)), growing),
  inParts(worst("200 MiB of one text in short pieces, by gzip", pieces(200, 512, false)), growing),
  inParts(worst("200 MiB of arguments, by gzip", pieces(200, 32_768, true)), growing),
  inParts(worst("200 MiB of finished items, by gzip", finishedItems(200)), growing),
  worst("20,000 sources", sourced(20_000)),
  worst("one support on 8 MiB of text", grounded(8)),
  worst("an answer of 16 MiB where a stream was to come", longTexts(16))
]

/** An answer as it is sent. */
interface Sent {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly packed?: Encoding | undefined
  /** What there is to be worked on at a time. */
  readonly partBytes: number
}

/** Of each: as long as one is measured it is asked for a few times. */
const made = new Map<string, Sent>()

/** An answer, by its name; undefined where there is none of that name on a protocol. */
export const answerOf = (name: string, protocol: ProtocolName, isStream: boolean): Sent | undefined => {
  const answer = answers.find((one) => one.name === name)
  const body = isStream ? answer?.on[protocol]?.stream : answer?.on[protocol]?.whole
  if (answer === undefined || body === undefined) return undefined
  const key = `${name} ${protocol} ${isStream}`
  let sent = made.get(key)
  if (sent === undefined) {
    made.clear()
    const { packed } = answer
    const plain = body()
    sent = {
      body: packed === undefined ? plain : pack(packed, plain),
      packed,
      partBytes: answer.partBytes ?? plain.length
    }
    made.set(key, sent)
  }
  return sent
}

/** The model that is answered so, and its upstream: one that fails often is not asked for a while, so each has its own. */
const modelOf = (name: string, protocol: ProtocolName, family: FamilyName, isStream: boolean): string =>
  `${isStream ? "a stream" : "an answer"} of ${protocol} for ${family}: ${name}`

/** The answer to a model of such a name; undefined of others. */
export const answerTo = (model: string): Response | undefined => {
  const [, kind, protocol, name = ""] = /^an? (stream|answer) of ([a-z-]+) for [a-z-]+: (.*)$/.exec(model) ?? []
  const spoken = protocols.find((one) => one === protocol)
  const sent = spoken && answerOf(name, spoken, kind === "stream")
  if (sent === undefined) return undefined
  const streamed = spoken === "bedrock-converse" ? "application/vnd.amazon.eventstream" : "text/event-stream"
  const type = { "content-type": kind === "stream" ? streamed : "application/json" }
  return new Response(sent.body, {
    headers: sent.packed === undefined ? type : { ...type, "content-encoding": sent.packed }
  })
}

/** The family that a protocol is measured on where it is measured on one. */
const ownFamily = (protocol: ProtocolName): FamilyName => families.find((one) => one === protocol) ?? "openai-chat"

const formsOf = ({ stream, whole }: Forms): ReadonlyArray<boolean> => [
  ...(whole === undefined ? [] : [false]),
  ...(stream === undefined ? [] : [true])
]

/** Every answer on the pairings of families and protocols that it is measured on: the worst on all, the others on one. */
export const pairings = answers.flatMap(({ isWorst, name, on }) =>
  protocols.flatMap((protocol) =>
    families.flatMap((family) =>
      on[protocol] === undefined || !(isWorst || family === ownFamily(protocol))
        ? []
        : formsOf(on[protocol]).map((isStream) => ({
            name,
            protocol,
            family,
            isStream,
            model: modelOf(name, protocol, family, isStream)
          }))
    )
  )
)
