import { chats } from "./chats.ts"
import { found } from "./found.ts"
import { generated } from "./generated.ts"
import { isShort, messages, onChat, chat, onMessages } from "./Hostile.ts"
import type { Hostile } from "./Hostile.ts"
import { kept } from "./kept.ts"
import { overflowing } from "./upstream.ts"

/** The most that is read of an answer in one piece. */
const answerBytes = 64 * 1_048_576

/** Answers of upstreams that are far too long. */
const answers: ReadonlyArray<Hostile> = overflowing.flatMap((model) => [
  onMessages(`an upstream's answer: ${model}`, () => messages({}, model), { ...isShort, answerBytes }),
  onMessages(`an upstream's answer, passed through: ${model}`, () => messages({}, `${model}, passed through`), {
    answerBytes
  }),
  onChat(`an upstream's answer, passed through: ${model}`, () => chat({}, model), { answerBytes })
])

export const corpus: ReadonlyArray<Hostile> = [...found, ...answers, ...generated, ...chats, ...kept]
