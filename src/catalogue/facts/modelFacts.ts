import { knownFacts, mergedFacts } from "../../contract/records/ModelFacts.ts"
import type { ModelFacts } from "../../contract/records/ModelFacts.ts"

/**
 * The facts of a model with several routes: those that hold on each route of which they are known.
 *
 * @param configured the facts of its entry, which know better
 */
export const modelFacts = (configured: ModelFacts, routes: ReadonlyArray<ModelFacts>): ModelFacts => {
  const [first = {}, ...others] = routes
  const facts = mergedFacts(configured, others.reduce(shared, first))
  const { context_tokens: window = Infinity, max_input_tokens: input, max_output_tokens: output } = facts
  return knownFacts({
    ...facts,
    max_input_tokens: input === undefined || input >= window ? undefined : input,
    max_output_tokens: output === undefined ? undefined : Math.min(output, window)
  })
}

/** The context window, or the longest input where no list says the window; undefined if neither is known. */
export const windowOf = ({ context_tokens: window, max_input_tokens: input }: ModelFacts): number | undefined =>
  window ?? input

const shared = (one: ModelFacts, other: ModelFacts): ModelFacts =>
  knownFacts({
    context_tokens: least(one.context_tokens, other.context_tokens),
    max_input_tokens: least(one.max_input_tokens, other.max_input_tokens),
    max_output_tokens: least(one.max_output_tokens, other.max_output_tokens),
    inputs: common(one.inputs, other.inputs),
    outputs: common(one.outputs, other.outputs),
    tools: all(one.tools, other.tools),
    thinking: all(one.thinking, other.thinking),
    efforts: common(one.efforts, other.efforts),
    structured_output: all(one.structured_output, other.structured_output),
    caching: all(one.caching, other.caching),
    released: one.released ?? other.released,
    retires: earliest(one.retires, other.retires)
  })

/** Combines two values, where both are known. */
const both =
  <A>(combine: (one: A, other: A) => A) =>
  (one: A | undefined, other: A | undefined): A | undefined =>
    one === undefined || other === undefined ? (one ?? other) : combine(one, other)

const least = both<number>(Math.min)
const all = both<boolean>((one, other) => one && other)
const earliest = both<string>((one, other) => (one < other ? one : other))
const common = both<ReadonlyArray<string>>((one, other) => one.filter((member) => other.includes(member)))
