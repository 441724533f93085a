import {
  annotations,
  anywhere,
  astray,
  calls,
  choices,
  found,
  interleaved,
  protocols,
  repeated,
  saidItems,
  silent,
  turns
} from "./answerKinds.ts"
import type { OnProtocols, ProtocolName } from "./answerKinds.ts"
import { many } from "./Hostile.ts"

/** A hostile answer, on each protocol that can carry it. */
interface HostileAnswer {
  readonly name: string
  /** The worst are measured on every pairing of a family and a protocol, the others on that of their own. */
  readonly isWorst: boolean
  readonly on: OnProtocols
}

const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`
const worst = (name: string, on: OnProtocols): HostileAnswer => ({ name, isWorst: true, on })
const other = (name: string, on: OnProtocols): HostileAnswer => ({ name, isWorst: false, on })

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
  worst("a million silent frames", silent(1_000_000))
]

/** Of each: as long as one is measured it is asked for a few times. */
const made = new Map<string, string>()

/** An answer's text, by its name; undefined where there is none of that name on a protocol. */
export const answerOf = (name: string, protocol: ProtocolName, isStream: boolean): string | undefined => {
  const answer = answers.find((one) => one.name === name)?.on[protocol]
  if (answer === undefined) return undefined
  const key = `${name} ${protocol} ${isStream}`
  let text = made.get(key)
  if (text === undefined) {
    made.clear()
    text = isStream ? answer.stream() : answer.whole()
    made.set(key, text)
  }
  return text
}

/** The model that is answered so, and its upstream: one that fails often is not asked for a while, so each has its own. */
const modelOf = (name: string, protocol: ProtocolName, family: ProtocolName, isStream: boolean): string =>
  `${isStream ? "a stream" : "an answer"} of ${protocol} for ${family}: ${name}`

/** The answer to a model of such a name; undefined of others. */
export const answerTo = (model: string): string | undefined => {
  const [, kind, protocol, name = ""] = /^an? (stream|answer) of ([a-z-]+) for [a-z-]+: (.*)$/.exec(model) ?? []
  const spoken = protocols.find((one) => one === protocol)
  return spoken && answerOf(name, spoken, kind === "stream")
}

/** Every answer on the pairings of families and protocols that it is measured on: the worst on all, the others on one. */
export const pairings = answers.flatMap(({ isWorst, name, on }) =>
  protocols.flatMap((protocol) =>
    protocols.flatMap((family) =>
      on[protocol] === undefined || !(isWorst || family === protocol)
        ? []
        : [false, true].map((isStream) => ({
            name,
            protocol,
            family,
            isStream,
            model: modelOf(name, protocol, family, isStream)
          }))
    )
  )
)
