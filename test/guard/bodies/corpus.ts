import type { ProtocolName } from "./answerKinds.ts"
import { answerOf, pairings } from "./answers.ts"
import { batches } from "./batches.ts"
import { chats } from "./chats.ts"
import { found } from "./found.ts"
import { formBodies } from "./forms.ts"
import { generated } from "./generated.ts"
import { isShort, messages, onChat, chat, onMessages, onResponses, responses } from "./Hostile.ts"
import type { Hostile } from "./Hostile.ts"
import { kept } from "./kept.ts"
import { tools } from "./tools.ts"
import { overflowing } from "./upstream.ts"

/** The most that is read of an answer in one piece. */
const answerBytes = 64 * 1_048_576

/** Answers of upstreams that are far too long. */
const overlong: ReadonlyArray<Hostile> = overflowing.flatMap((model) => [
  onMessages(`an upstream's answer: ${model}`, () => messages({}, model), { ...isShort, answerBytes }),
  onMessages(`an upstream's answer, passed through: ${model}`, () => messages({}, `${model}, passed through`), {
    answerBytes
  }),
  onChat(`an upstream's answer, passed through: ${model}`, () => chat({}, model), { answerBytes })
])

const families = {
  "openai-chat": [onChat, chat],
  "anthropic-messages": [onMessages, messages],
  "openai-responses": [onResponses, responses]
} as const

const ofShort = (name: string, protocol: ProtocolName): boolean =>
  protocol === "openai-chat" &&
  (name === "100,000 calls" || name === "2 MiB of open lists" || name === "128 MiB of comments, by gzip")

/** Answers of upstreams that hold much. */
const answered: ReadonlyArray<Hostile> = pairings.map(({ family, isStream, model, name, protocol }) => {
  const [post, body] = families[family]
  return post(model, () => body({ stream: isStream }, model), {
    ...(ofShort(name, protocol) && isShort),
    answerBytes: () => answerOf(name, protocol, isStream)?.partBytes ?? 0
  })
})

/** Of them, those of chat completions that pass through, stored: the gateway builds the whole answer. */
const stored: ReadonlyArray<Hostile> = pairings
  .filter(({ family, protocol }) => family === "openai-chat" && protocol === "openai-chat")
  .map(({ isStream, model, name, protocol }) =>
    onChat(`stored, ${model}`, () => chat({ stream: isStream, store: true }, model), {
      ...(ofShort(name, protocol) && isShort),
      answerBytes: () => answerOf(name, protocol, isStream)?.partBytes ?? 0
    })
  )

export const corpus: ReadonlyArray<Hostile> = [
  ...found,
  ...overlong,
  ...answered,
  ...stored,
  ...generated,
  ...chats,
  ...tools,
  ...kept,
  ...formBodies,
  ...batches
]
