import { expect, it } from "vitest"
import { askAll } from "./ask.ts"
import type { Unanswered } from "./ask.ts"

/** A family's own places: what is refused there is the caller's to read. */
const own: Readonly<Record<Unanswered["family"], ReadonlyArray<string>>> = {
  messages: ["anthropic"],
  chat: ["openai-chat", "azure-chat"],
  responses: ["openai-responses", "azure-responses"]
}

/** What else is the caller's to read, since leaving it out would change what is asked. */
const callersOwn: ReadonlyArray<{
  readonly family: Unanswered["family"]
  readonly rule: string
  readonly why: string
}> = [
  { family: "messages", rule: "claude.signature", why: "a signature that the caller made up" },
  { family: "messages", rule: "converse.signature", why: "a signature that the caller made up" },
  { family: "messages", rule: "claude.prefill", why: "another answer is not the rest of the caller's" },
  { family: "messages", rule: "claude.max_tokens", why: "the place names its bound, which is learned" },
  { family: "messages", rule: "claude.server-tool", why: "a search is all that is asked for" },
  { family: "messages", rule: "claude.field-without-beta", why: "Foundry takes what Anthropic takes" },
  { family: "chat", rule: "deepseek.content", why: "an image is what is asked about" },
  { family: "chat", rule: "ollama.image", why: "an image is what is asked about" },
  { family: "chat", rule: "vllm.arguments", why: "arguments that are no JSON" }
]

// Every seventh of 25,000 requests: of each kind some, of each place some. `bun run test:long places` asks all.
it("no place refuses what the gateway sends", { timeout: 300_000 }, async () => {
  const { asked, unanswered } = await askAll({ every: 7 })
  const refused = unanswered.flatMap(({ family, kind, model, place, rules }) =>
    own[family].includes(place)
      ? []
      : rules
          .filter((rule) => !callersOwn.some((one) => one.family === family && one.rule === rule))
          .map((rule) => `${place} refuses "${kind}" of ${family} to ${model}: ${rule}`)
  )
  expect(refused).toEqual([])
  expect(asked).toBeGreaterThan(3_000)
})

it("what the gateway refuses by itself names a field", { timeout: 300_000 }, async () => {
  const { unanswered } = await askAll({ place: "bedrock-converse", family: "chat", every: 5 })
  const unclear = unanswered.filter(
    ({ rules, says, status }) => rules.length === 0 && (status !== 400 || !/"param":"\w+/.test(says))
  )
  expect(unclear).toEqual([])
  expect(unanswered.length).toBeGreaterThan(5)
})
