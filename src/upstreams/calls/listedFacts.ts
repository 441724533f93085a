import { isObject, listAt, objectAt, textAt } from "../../contract/json/json.ts"
import { dayOf, effortsOf, knownFacts, modalitiesOf, reasoningEfforts } from "../../contract/records/ModelFacts.ts"
import type { ModelFacts } from "../../contract/records/ModelFacts.ts"

/**
 * The facts of a model in an upstream's own list, in the forms of Anthropic, Google, Groq, LM Studio, Mistral, OpenAI,
 * OpenRouter and vLLM. A date of creation is left out: servers of one's own say when they started.
 */
export const listedFacts = (model: unknown): ModelFacts => {
  if (!isObject(model)) return {}
  const { context_length, context_window, loaded_context_length, max_context_length, max_model_len } = model
  const provider = objectAt(model, "top_provider")
  const retires = [model["retires_at"], model["shutdown_date"], model["expiration_date"], model["deprecation"]]
  return knownFacts({
    context_tokens: loaded_context_length ?? max_model_len ?? context_length ?? max_context_length ?? context_window,
    max_input_tokens: model["max_input_tokens"] ?? model["inputTokenLimit"],
    max_output_tokens:
      provider?.["max_completion_tokens"] ??
      model["max_completion_tokens"] ??
      model["outputTokenLimit"] ??
      // Anthropic's: others say so of both directions together.
      ("max_input_tokens" in model ? model["max_tokens"] : undefined),
    retires: dayOf(retires.find((day) => typeof day === "string")),
    ...ofArchitecture(model),
    ...ofCapabilities(objectAt(model, "capabilities"))
  })
}

/** OpenRouter's form, which this gateway's list has too. */
const ofArchitecture = (model: object) => {
  const architecture = objectAt(model, "architecture")
  const parameters = listAt(model, "supported_parameters")
  const has = (name: string) => (parameters.length === 0 ? undefined : parameters.includes(name))
  return {
    inputs: modalitiesOf(architecture?.["input_modalities"]),
    outputs: modalitiesOf(architecture?.["output_modalities"]),
    tools: has("tools"),
    thinking: has("reasoning"),
    structured_output: has("structured_outputs"),
    efforts: effortsOf(objectAt(model, "reasoning")?.["supported_efforts"])
  }
}

/** Anthropic's and Mistral's forms. */
const ofCapabilities = (capabilities: object | undefined) => {
  if (capabilities === undefined) return {}
  const is = (name: string): boolean | undefined => supported(objectAt(capabilities, name))
  const [image, pdf] = [is("image_input"), is("pdf_input")]
  const effort = objectAt(capabilities, "effort")
  const functions: unknown = Reflect.get(capabilities, "function_calling")
  return image === undefined
    ? { tools: functions }
    : {
        inputs: modalitiesOf(["text", ...(image ? ["image"] : []), ...(pdf === true ? ["file"] : [])]),
        tools: true,
        thinking: is("thinking"),
        structured_output: is("structured_outputs"),
        efforts: effortsOf(reasoningEfforts.filter((one) => supported(objectAt(effort, one)) === true))
      }
}

const supported = (capability: object | undefined): boolean | undefined => {
  const is: unknown = capability === undefined ? undefined : Reflect.get(capability, "supported")
  return typeof is === "boolean" ? is : undefined
}

/** The facts of the models of a list, by their ids there. */
export const factsIn = (answer: unknown): ReadonlyMap<string, ModelFacts> =>
  new Map(
    [...listAt(answer, "data"), ...listAt(answer, "models")].flatMap((model) => {
      const id = textAt(model, "id") ?? textAt(model, "name")?.replace(/^models\//, "")
      return id === undefined ? [] : [[id, listedFacts(model)] as const]
    })
  )
