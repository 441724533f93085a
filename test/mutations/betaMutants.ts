import type { Mutant } from "./Mutant.ts"

const upstream = "src/upstreams/textUpstream.ts"
const fitted = "src/upstreams/protocols/anthropicMessages/fitted.ts"
const ofFitted = ["test/upstreams/protocols/fitted.test.ts"]
const ofRefusals = ["test/e2e/upstreams/refusedBetas.test.ts"]
const ofMemory = ["test/upstreams/RefusedBetas.test.ts"]
const ofChat = ["test/upstreams/protocols/openaiChatModels.test.ts"]

/** What a place of a provider's models takes, and what is changed without the caller's knowledge. */
export const betaMutants: ReadonlyArray<Mutant> = [
  {
    name: "betas: the fields of a beta that is left out stay",
    file: fitted,
    snippet: "if (!hangs(part, all) || hangs(part, sent)) continue",
    replacement: "continue",
    tests: ofFitted
  },
  {
    name: "betas: a beta that is left out is not named",
    file: fitted,
    snippet: "sent.add(there)\n    else adapted.add(`${header}.${name}`)",
    replacement: "sent.add(there)",
    tests: ofFitted
  },
  {
    name: "betas: what a place lacks is sent without its beta",
    file: fitted,
    snippet: "if (place?.lacks?.[part]?.(model) === true",
    replacement: "if (place?.lacks?.[part]?.(model) === false",
    tests: ofFitted
  },
  {
    name: "betas: what the operator allows is left out once it is refused",
    file: fitted,
    snippet: "betas: [...sent].filter((name) => !chosen.has(name))",
    replacement: "betas: [...sent]",
    tests: ofRefusals
  },
  {
    name: "betas: a refusal at the dialect's own place is not the caller's to read",
    file: "src/upstreams/protocols/anthropicMessages/anthropicMessages.ts",
    snippet: "...(place?.isOwn !== true && { betaRefusal })",
    replacement: "betaRefusal",
    tests: ofFitted
  },
  {
    name: "betas: a strict request is sent again with less",
    file: upstream,
    snippet: "if (fit.betas.length === 0 || strict === true || refused !== undefined) return answer",
    replacement: "if (fit.betas.length === 0 || refused !== undefined) return answer",
    tests: ofRefusals
  },
  {
    name: "betas: a strict request goes without what was refused before",
    file: upstream,
    snippet: "strict === true ? noNames : betas.at(model)",
    replacement: "betas.at(model)",
    tests: ofRefusals
  },
  {
    name: "betas: a refused request is sent again without end",
    file: upstream,
    snippet: "strict === true || refused !== undefined) return answer",
    replacement: "strict === true || (refused?.size ?? 0) > 9) return answer",
    tests: ofRefusals
  },
  {
    name: "betas: all suspects stay left out",
    file: "src/upstreams/RefusedBetas.ts",
    snippet: "...learned.suspects.slice(1)",
    replacement: "...learned.suspects",
    tests: ofMemory
  },
  {
    name: "betas: a refused beta is left out for ever",
    file: "src/upstreams/RefusedBetas.ts",
    snippet: "const learnedMs = 3_600_000",
    replacement: "const learnedMs = Infinity",
    tests: ofMemory
  },
  {
    name: "betas: any number of models is remembered",
    file: "src/upstreams/RefusedBetas.ts",
    snippet: "const mostModels = 1_000",
    replacement: "const mostModels = Infinity",
    tests: ofMemory
  },
  {
    name: "metrics: a caller's beta is a label",
    file: "src/dispatch/adapted.ts",
    snippet: 'total.of(name.replace(ofCallers, "$1$2"))',
    replacement: "total.of(name)",
    tests: ["test/e2e/clouds/claudeBetas.test.ts"]
  },
  {
    name: "openai-chat: functions go beside an effort that the model refuses with them",
    file: "src/upstreams/protocols/openaiChat/unreasoned.ts",
    snippet: 'if (functions === "any effort" || isTaken || !hasFunctions(body)) return body',
    replacement: 'if (functions !== "none" || isTaken || !hasFunctions(body)) return body',
    tests: ofChat
  },
  {
    name: "openai-chat: an effort that a caller wrote is changed in passing",
    file: "src/upstreams/protocols/openaiChat/unreasoned.ts",
    snippet: '(body["reasoning_effort"] ?? undefined) !== undefined',
    replacement: 'body["reasoning_effort"] === "none"',
    tests: ofChat
  }
]
