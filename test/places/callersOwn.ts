import type { Unanswered } from "./ask.ts"

/** A family's own places: what is refused there is the caller's to read. */
const own: Readonly<Record<Unanswered["family"], ReadonlyArray<string>>> = {
  messages: ["anthropic"],
  chat: ["openai-chat", "azure-chat"],
  responses: ["openai-responses", "azure-responses"]
}

/** What else is the caller's to read, since leaving it out would change what is asked. */
const exceptions: ReadonlyArray<{
  readonly family: Unanswered["family"]
  readonly rule: string
  readonly why: string
  /** The words of refusals that have no second try. */
  readonly says?: RegExp
  /** True if there has to be a second try. Its refusal is about another field, since there is no third. */
  readonly isTriedAgain?: true
}> = [
  { family: "messages", rule: "claude.signature", why: "a signature that the caller made up" },
  { family: "messages", rule: "converse.signature", why: "a signature that the caller made up" },
  { family: "messages", rule: "claude.prefill", why: "another answer is not the rest of the caller's" },
  { family: "messages", rule: "claude.max_tokens", why: "the place names its bound, which is learned" },
  { family: "messages", rule: "claude.server-tool", why: "a search is all that is asked for" },
  { family: "messages", rule: "claude.field-without-beta", why: "Foundry takes what Anthropic takes" },
  {
    family: "messages",
    rule: "claude.unknown-field",
    why: "a field that the caller made up, or a format without its beta",
    isTriedAgain: true,
    says: /"(?:output_format|speed): Extra/
  },
  { family: "chat", rule: "groq.field", why: "a field that the caller made up", isTriedAgain: true },
  { family: "chat", rule: "mistral.field", why: "a field that the caller made up", isTriedAgain: true },
  { family: "chat", rule: "cerebras.field", why: "a field that the caller made up", isTriedAgain: true },
  { family: "chat", rule: "deepseek.content", why: "an image is what is asked about" },
  { family: "chat", rule: "ollama.image", why: "an image is what is asked about" },
  { family: "chat", rule: "vllm.arguments", why: "arguments that are no JSON" }
]

/** True if a place speaks the family's dialect by itself: its refusals pass through. */
export const isOwnPlace = (family: Unanswered["family"], place: string): boolean => own[family].includes(place)

/** The rules that no request of the gateway may break there. */
export const brokenRules = ({ family, place, rules, says, tries }: Omit<Unanswered, "kind">): ReadonlyArray<string> =>
  isOwnPlace(family, place)
    ? []
    : rules.filter((rule) => {
        const isOf = (one: (typeof exceptions)[number]) => one.family === family && one.rule === rule
        return !exceptions.some(
          (one) => isOf(one) && (one.isTriedAgain !== true || tries > 1 || one.says?.test(says) === true)
        )
      })

/** True if the gateway refused by itself, with a 400 that names a field. */
export const isToldBefore = ({ rules, says, status }: Omit<Unanswered, "kind">): boolean =>
  rules.length === 0 && status === 400 && /"param":"\w+|"message":"[a-z_]+[[.:]/.test(says)
