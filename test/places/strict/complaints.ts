import "./claudeRules1.ts"
import "./claudeRules2.ts"
import "./claudeRules3.ts"
import "./claudeRules4.ts"
import "./converseRules1.ts"
import "./converseRules2.ts"
import "./openaiRules1.ts"
import "./openaiRules2.ts"
import "./openaiRules3.ts"
import "./geminiRules1.ts"
import "./geminiRules2.ts"
import "./elsewhereRules1.ts"
import "./elsewhereRules2.ts"
import { isText, rules } from "./rule.ts"
import type { Ask, Refusal, Rule } from "./rule.ts"

/** Every rule that the request breaks at its place, the first one first. */
export const complaints = (ask: Ask): ReadonlyArray<Refusal & { readonly rule: Rule }> =>
  rules.flatMap((one) => {
    if (!one.places.includes(ask.place)) return []
    const found = one.find(ask)
    return found === undefined ? [] : [{ ...(isText(found) ? { says: found } : found), rule: one }]
  })
