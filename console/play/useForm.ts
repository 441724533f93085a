import { useSignal } from "@preact/signals"
import { useField } from "../parts/form.ts"
import type { Field } from "../parts/form.ts"
import { words } from "../words/words.ts"
import type { Draft, DroppedFile, Family } from "./draft.ts"
import type { Repeated } from "./repeat.ts"
import type { Stored } from "./stored.ts"
import { exampleTool, withTools } from "./Tools.tsx"
import type { Tool } from "./Tools.tsx"

const numberIn = ({ value }: Field): number | undefined => {
  const number = Number(value.value)
  return value.value.trim() === "" || Number.isNaN(number) ? undefined : number
}

const usual = {
  model: "",
  beside: "",
  key: "",
  system: "",
  user: words.playground.first,
  maxTokens: "1024",
  temperature: "",
  resolution: "480p",
  ratio: "16:9",
  seconds: "4",
  size: "",
  voice: "alloy"
}

/** The fields of a request that is repeated. */
const fieldsOf = ({ asked, isRecorded, key, model }: Repeated): Partial<typeof usual> => {
  const text = (value: number | undefined) => (value === undefined ? "" : String(value))
  return {
    model,
    key,
    ...(isRecorded && {
      user: asked.user ?? "",
      system: asked.system ?? "",
      maxTokens: text(asked.maxTokens),
      temperature: text(asked.temperature)
    }),
    ...(asked.size !== undefined && { size: asked.size }),
    ...(asked.voice !== undefined && { voice: asked.voice }),
    ...(asked.resolution !== undefined && { resolution: asked.resolution }),
    ...(asked.ratio !== undefined && { ratio: asked.ratio }),
    ...(asked.seconds !== undefined && { seconds: String(asked.seconds) })
  }
}

/** The playground's inputs: as in a repeated request, as they were left, or as usual. */
export const useForm = (given: {
  readonly repeated: Repeated | undefined
  readonly stored: Stored | undefined
  /** From the address. */
  readonly models: Readonly<Record<"model" | "beside", string | null>>
}) => {
  const { models, repeated, stored } = given
  const first: typeof usual = {
    ...usual,
    ...(repeated === undefined ? stored?.fields : fieldsOf(repeated)),
    ...(models.model !== null && { model: models.model }),
    ...(models.beside !== null && { beside: models.beside })
  }
  const fields = {
    model: useField(first.model),
    beside: useField(first.beside),
    key: useField(first.key),
    system: useField(first.system),
    user: useField(first.user),
    maxTokens: useField(first.maxTokens),
    temperature: useField(first.temperature),
    resolution: useField(first.resolution),
    ratio: useField(first.ratio),
    seconds: useField(first.seconds),
    size: useField(first.size),
    voice: useField(first.voice)
  }
  const before = stored?.tools ?? [{ tool: exampleTool, isOn: false }]
  const tools = useSignal<ReadonlyArray<Tool>>(
    repeated?.isRecorded === true ? withTools(before, repeated.asked.tools ?? []) : before
  )
  const hasSearch = useSignal(stored?.hasSearch ?? false)
  const files = useSignal<ReadonlyArray<DroppedFile>>([])
  return {
    fields,
    files,
    hasSearch,
    tools,
    /** The settings of a request, without its conversation. */
    settings: (family: Family, model: string): Omit<Draft, "messages"> => ({
      family,
      model,
      system: fields.system.value.value.trim(),
      tools: tools.value.flatMap(({ isOn, tool }) => (isOn ? [tool] : [])),
      hasSearch: hasSearch.value,
      maxTokens: numberIn(fields.maxTokens),
      temperature: numberIn(fields.temperature),
      image: { size: fields.size.value.value },
      speech: { voice: fields.voice.value.value.trim() },
      video: {
        resolution: fields.resolution.value.value,
        ratio: fields.ratio.value.value,
        seconds: numberIn(fields.seconds) ?? 4
      }
    }),
    values: () => Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value.value]))
  }
}
export type Form = ReturnType<typeof useForm>
