import { claudePlaces, takesSystemTurns } from "../../src/config/providers/claudePlaces.ts"
import type { ClaudePlace } from "../../src/config/providers/claudePlaces.ts"
import { providerRow, providerNamed } from "../../src/config/providers/providers.ts"
import { traitsOf as claudeTraits } from "../../src/upstreams/protocols/anthropicMessages/models.ts"
import type { Traits as ClaudeTraits } from "../../src/upstreams/protocols/anthropicMessages/models.ts"
import { continuesTurns } from "../../src/upstreams/protocols/anthropicMessages/lastTurn.ts"
import { traitsOf as converseTraits } from "../../src/upstreams/protocols/bedrockConverse/models.ts"
import { traitsOf as geminiTraits } from "../../src/upstreams/protocols/gemini/models.ts"
import { mostStops } from "../../src/upstreams/protocols/gemini/request.ts"
import { providerOf, providers } from "../../src/upstreams/protocols/openaiChat/compatible.ts"
import { ofModel } from "../../src/upstreams/protocols/openaiChat/ofModel.ts"
import type { Provider } from "../../src/upstreams/protocols/openaiChat/Provider.ts"
import { traitsOf as responsesTraits } from "../../src/upstreams/protocols/openaiResponses/models.ts"
import { tried } from "../places/places.ts"

/** What a place takes for a model, in words; an empty text is what is usual. */
interface Facts {
  readonly reasoning: string
  readonly sampling: string
  readonly tools: string
  readonly format: string
  readonly stops: string
  readonly others: ReadonlyArray<string>
}

const list = (names: Iterable<string>): string => [...names].map((name) => `\`${name}\``).join(", ")
const when = (holds: boolean, words: string): ReadonlyArray<string> => (holds ? [words] : [])
const efforts = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "–" : names.length < 3 ? names.join(", ") : `${names[0]} to ${names.at(-1)}`

const ofClaude = ({ efforts: all, thinking }: ClaudeTraits): string =>
  thinking === "none" ? "–" : thinking === "budget" ? "a budget" : `adaptive, ${efforts(all)}`
const claudeSampling = { all: "all", one: "temperature or `top_p`", none: "none" } as const

const messagesFacts = (provider: string, model: string): Facts => {
  const name = providerNamed(provider)
  const row = name && providerRow(name).claude
  const place: ClaudePlace = row === undefined ? {} : claudePlaces[row]
  const traits = claudeTraits(model)
  const lacking = Object.entries(place.lacks ?? {}).flatMap(([part, lacks]) => (lacks(model) ? [part] : []))
  return {
    reasoning: ofClaude(traits),
    sampling: claudeSampling[traits.sampling],
    tools: place.lacksTools === undefined ? "" : `none of ${toolsOf(place.lacksTools)}`,
    format: traits.structured ? "schema" : "a tool",
    stops: "any",
    others: [
      ...when(place.isOwn === true, "callers' own requests go as they are"),
      ...when(lacking.length > 0, `no ${list(lacking)}`),
      ...when(place.bytesAlone === true, "no addresses of files"),
      ...when(!takesSystemTurns(model), "no system text between turns"),
      ...when(!continuesTurns(model), "no prefill")
    ]
  }
}

/** Anthropic's tools that need its own servers, and the versions of each. */
const anthropicsTools = {
  web_search: ["20250305", "20260209"],
  web_fetch: ["20250910"],
  code_execution: ["20250825"],
  advisor: ["20260301"]
}
const toolsOf = (types: RegExp): string =>
  list(
    Object.entries(anthropicsTools).flatMap(([tool, versions]) => {
      const lacking = versions.filter((version) => types.test(`${tool}_${version}`))
      return lacking.length === versions.length ? [tool] : lacking.map((version) => `${tool}_${version}`)
    })
  )

const converseFacts = (model: string): Facts => {
  const traits = converseTraits(model)
  const choices = { all: "", words: "no named tool", auto: "none forced" }[traits.toolChoice]
  const offered = { streamed: "", whole: "asked whole, not streamed", none: "none" }[traits.tools]
  const marks = { "tools and prompts": "", prompts: "no cache points on tools", none: "no cache points" }
  return {
    reasoning: traits.claude === undefined ? efforts(traits.efforts) : ofClaude(traits.claude),
    sampling: traits.claude === undefined ? "all" : claudeSampling[traits.claude.sampling],
    tools: traits.tools === "none" ? offered : [offered, choices].filter(Boolean).join("; "),
    format: traits.structured ? "schema" : traits.toolChoice === "all" ? "a tool" : "in words",
    stops: traits.maxStops === Infinity ? "any" : String(traits.maxStops),
    others: [
      "no addresses of files",
      ...when(!traits.system, "no system text"),
      ...when(traits.images === "none", "no images"),
      ...when(traits.images === "outside results", "no images in results"),
      ...when(marks[traits.cachePoints] !== "", marks[traits.cachePoints]),
      ...when(traits.cachePoints !== "none" && !traits.longCache, "caches of five minutes alone"),
      ...when(!traits.marksErrors, "no status of results")
    ]
  }
}

const geminiFacts = (provider: string, model: string): Facts => {
  const { mixesTools, richResults, signs, thinking } = geminiTraits(model)
  const range =
    thinking.by === "budget" ? `${thinking.isOptional ? "0, " : ""}${thinking.least} to ${thinking.most}` : ""
  return {
    reasoning:
      thinking.by === "nothing" ? "–" : thinking.by === "budget" ? `a budget: ${range}` : efforts(thinking.levels),
    sampling: "all",
    tools: mixesTools && provider !== "vertex" ? "" : "no search beside them",
    format: mixesTools ? "schema" : "schema; in words beside tools",
    stops: String(mostStops),
    others: [...when(signs, "signed calls"), ...when(!richResults, "results of texts alone")]
  }
}

const responsesFacts = (provider: string, model: string): Facts => {
  const name = providerNamed(provider)
  const { efforts: all, encrypted, sampling, verbosity } = responsesTraits(model)
  return {
    reasoning: efforts(all),
    sampling: sampling ? "all" : "unless it reasons",
    tools: "",
    format: "schema",
    stops: "none",
    others: [
      ...when(name !== undefined && providerRow(name).isOpenAi === true, "callers' own requests go as they are"),
      ...when(encrypted, "encrypted reasoning"),
      ...when(verbosity === true, "`verbosity`")
    ]
  }
}

const imageTypes = ["png", "jpeg", "gif", "webp"]
const chatReasoning = ({ reasoning }: Provider): string => {
  switch (reasoning.by) {
    case "effort":
    case "object":
      return efforts(reasoning.efforts)
    case "template":
      return `by the template, ${efforts(reasoning.efforts)}`
    case "thinking":
    case "enable_thinking":
      return `\`${reasoning.by}\``
    case "nothing":
      return "–"
  }
}
const chatSampling = {
  always: "all",
  "unless reasoning": "unless it reasons",
  "if told not to reason": "with effort none"
}
const chatFunctions = { "any effort": "", "no effort": "without effort", none: "with effort none" }
const chatChoice = { all: "", words: "no named tool", none: "no choice" }

const chatFacts = (provider: string, model: string): Facts => {
  const row = ofModel(providerOf({ baseUrl: "", name: "" }, provider), model)
  const { images } = row
  const types =
    images === undefined || images === "none" ? [] : imageTypes.filter((type) => images.test(`image/${type}`))
  const tools = [
    chatFunctions[row.functions],
    chatChoice[row.toolChoice],
    ...when(!row.forcesWhileThinking, "none forced while it thinks"),
    ...when(!row.parallelToolCalls, "no `parallel_tool_calls`")
  ]
  const format = { schema: "schema", object: "JSON, a schema in words", none: "in words" }[row.format]
  return {
    reasoning: chatReasoning(row),
    sampling: chatSampling[row.samples],
    tools: tools.filter(Boolean).join("; "),
    format: row.formatsBesideTools ? format : `${format}; in words beside tools`,
    stops: row.maxStops === 0 ? "none" : String(row.maxStops),
    others: [
      ...when(row.isOwn, "callers' own requests go as they are"),
      ...when(row.refuses.size > 0, `no ${list(row.refuses)}`),
      ...when(row.refusesInMessages.size > 0, `no ${list(row.refusesInMessages)} in messages`),
      ...when(row.seed !== "seed", `\`${row.seed}\``),
      ...when(!row.streamUsage, "no `stream_options`"),
      ...when(row.thinksByDefault, "thinks unless told not to"),
      ...when(row.images === "none", "texts alone"),
      ...when(row.bytesAlone && row.images !== "none", "no addresses of images"),
      ...when(types.length > 0, `images: ${types.join(", ")}`),
      ...when(row.systemFirst, "system text in front alone"),
      ...when(row.alternates, "turns alternate"),
      ...when(row.strictTurns, "no empty turns; the last one the user's, or marked"),
      ...when(!row.userAfterTool, "no user directly behind results"),
      ...when(row.signsCalls !== undefined, "signed calls")
    ]
  }
}

const factsAt = (protocol: string, provider: string, model: string): Facts => {
  switch (protocol) {
    case "anthropic-messages":
      return messagesFacts(provider, model)
    case "bedrock-converse":
      return converseFacts(model)
    case "gemini":
      return geminiFacts(provider, model)
    case "openai-responses":
      return responsesFacts(provider, model)
    default:
      return chatFacts(provider, model)
  }
}

/** Servers of chat completions whose models are alike. */
const alike = Object.keys(providers)
  .filter(
    (name) => !Object.values(tried).some(({ protocol, provider }) => protocol === "openai-chat" && provider === name)
  )
  .map((provider) => ({ provider, protocol: "openai-chat", models: [""] }))

const cellsOf = ({ format, others, reasoning, sampling, stops, tools }: Facts): string =>
  [reasoning, sampling, tools === "" ? "all" : tools, format, stops, others.join("; ")].join(" | ")

const rows = [...Object.values(tried), ...alike].flatMap(({ models, protocol, provider }) => {
  const groups = Map.groupBy(models, (model) => cellsOf(factsAt(protocol, provider, model)))
  return [...groups].map(([cells, models]) => {
    const named = groups.size === 1 ? "all" : list(models)
    return `| \`${provider}\` | \`${protocol}\` | ${named} | ${cells} |`
  })
})

/** The table of docs/compatibility.md: what each place takes for its models, by the rows that requests are fitted by. */
export const placesBlocks = {
  places: [
    "| provider | protocol | models | reasoning | `temperature`, `top_p` | tools | format | stop sequences | else |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows
  ].join("\n")
}
