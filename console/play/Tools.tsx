import { useSignal } from "@preact/signals"
import type { Signal } from "@preact/signals"
import { Button } from "../parts/Button.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { TextArea, TextField } from "../parts/fields.tsx"
import { useField, wrong } from "../parts/form.ts"
import { words } from "../words/words.ts"
import type { FunctionTool } from "./draft.ts"

const text = words.playground

/** A function, and whether the model may call it. */
export interface Tool {
  readonly tool: FunctionTool
  readonly isOn: boolean
}

export const exampleTool: FunctionTool = {
  name: "get_weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
}

/** Adds these, switched on. */
export const withTools = (tools: ReadonlyArray<Tool>, given: ReadonlyArray<FunctionTool>): ReadonlyArray<Tool> => {
  const names = new Set(given.map(({ name }) => name))
  return [
    ...tools.filter(({ tool }) => !names.has(tool.name)).map(({ tool }) => ({ tool, isOn: false })),
    ...given.map((tool) => ({ tool, isOn: true }))
  ]
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const Chip = ({
  isOn,
  name,
  onClick
}: {
  readonly name: string
  /** Of a switch. */
  readonly isOn?: boolean
  readonly onClick: () => void
}) => (
  <button type="button" class="chip" aria-pressed={isOn} onClick={onClick}>
    {name}
  </button>
)

/** Functions that the model may call, each with a switch; edited in a dialog. */
export const Tools = ({
  hasSearch,
  tools
}: {
  readonly tools: Signal<ReadonlyArray<Tool>>
  readonly hasSearch: Signal<boolean>
}) => {
  const edited = useSignal<{ readonly before: FunctionTool | undefined } | undefined>(undefined)
  return (
    <>
      <div class="chips" role="group" aria-label={text.tools}>
        {tools.value.map(({ isOn, tool }) => (
          <Chip
            key={tool.name}
            name={tool.name}
            isOn={isOn}
            onClick={() => {
              tools.value = tools.value.map((one) => (one.tool === tool ? { tool, isOn: !isOn } : one))
            }}
          />
        ))}
        <Chip name={text.search} isOn={hasSearch.value} onClick={() => (hasSearch.value = !hasSearch.value)} />
        {tools.value.map(
          ({ isOn, tool }) =>
            isOn && (
              <Button key={tool.name} look="ghost small" onClick={() => (edited.value = { before: tool })}>
                {text.editTool(tool.name)}
              </Button>
            )
        )}
        <Button look="ghost small" onClick={() => (edited.value = { before: undefined })}>
          {text.addTool}
        </Button>
      </div>
      {edited.value && (
        <ToolDialog before={edited.value.before} tools={tools} close={() => (edited.value = undefined)} />
      )}
    </>
  )
}

const ToolDialog = ({
  before,
  close,
  tools
}: {
  readonly before: FunctionTool | undefined
  readonly tools: Signal<ReadonlyArray<Tool>>
  readonly close: () => void
}) => {
  const name = useField(before?.name)
  const description = useField(before?.description)
  const parameters = useField(JSON.stringify(before?.parameters ?? { type: "object", properties: {} }, null, 2))
  const save = async () => {
    if (!/^[\w-]{1,64}$/.test(name.value.value)) throw wrong(name, text.toolNameFirst)
    let schema: unknown
    try {
      schema = JSON.parse(parameters.value.value)
    } catch {
      throw wrong(parameters, text.toolSchema)
    }
    if (!isObject(schema)) throw wrong(parameters, text.toolSchema)
    const tool = { name: name.value.value, description: description.value.value, parameters: schema }
    const others = tools.value.filter((one) => one.tool !== before && one.tool.name !== tool.name)
    tools.value = [...others, { tool, isOn: true }]
  }
  const remove = () => {
    tools.value = tools.value.filter(({ tool }) => tool !== before)
    close()
  }
  return (
    <Dialog
      title={before === undefined ? text.addTool : text.editTool(before.name)}
      close={close}
      act={{ word: text.toolSave, run: save }}
      foot={
        before !== undefined && (
          <Button look="danger" onClick={remove}>
            {text.toolRemove}
          </Button>
        )
      }
    >
      <TextField id="tool-name" label={text.toolName} of={name} />
      <TextField id="tool-description" label={text.toolDescription} of={description} />
      <TextArea id="tool-parameters" label={text.toolParameters} of={parameters} rows={8} />
    </Dialog>
  )
}
