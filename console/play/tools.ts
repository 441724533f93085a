import { h, fill } from "../dom.ts"
import { button } from "../components/bits.ts"
import { openDialog } from "../components/dialog.ts"
import { field, textArea, textInput, wrong } from "../components/fields.ts"
import { words } from "../words/words.ts"
import type { FunctionTool } from "./draft.ts"

const text = words.playground

const example: FunctionTool = {
  name: "get_weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Functions that the model may call, each with a switch; edited in a dialog. */
export const toolEditor = (changed: () => void) => {
  let tools: ReadonlyArray<{ readonly tool: FunctionTool; readonly isOn: boolean }> = [{ tool: example, isOn: false }]
  let hasSearch = false
  const element = h("div", { class: "chips", role: "group", "aria-label": text.tools })

  const edit = (before: FunctionTool | undefined) => {
    const name = textInput(before?.name ?? "", { id: "tool-name" })
    const description = textInput(before?.description ?? "", { id: "tool-description" })
    const parameters = textArea(JSON.stringify(before?.parameters ?? { type: "object", properties: {} }, null, 2), 8, {
      id: "tool-parameters",
      class: "input mono"
    })
    const remove = () => {
      tools = tools.filter((one) => one.tool !== before)
      draw()
      changed()
      dialog.close()
    }
    const dialog = openDialog({
      title: before === undefined ? text.addTool : text.editTool(before.name),
      foot: before === undefined ? "" : button(text.toolRemove, remove, { look: "danger" }),
      body: [
        field(text.toolName, name),
        field(text.toolDescription, description),
        field(text.toolParameters, parameters)
      ],
      act: {
        word: text.toolSave,
        run: async () => {
          if (!/^[\w-]{1,64}$/.test(name.value)) throw wrong(name, text.toolNameFirst)
          let schema: unknown
          try {
            schema = JSON.parse(parameters.value)
          } catch {
            throw wrong(parameters, text.toolSchema)
          }
          if (!isObject(schema)) throw wrong(parameters, text.toolSchema)
          const tool = { name: name.value, description: description.value, parameters: schema }
          tools = [...tools.filter((one) => one.tool !== before && one.tool.name !== tool.name), { tool, isOn: true }]
          draw()
          changed()
        }
      }
    })
  }
  const chip = (name: string, isOn: boolean, toggle: () => void) =>
    h("button", { type: "button", class: "chip", "aria-pressed": String(isOn), on: { click: toggle } }, name)
  const draw = () => {
    fill(
      element,
      tools.map(({ isOn, tool }) =>
        chip(tool.name, isOn, () => {
          tools = tools.map((one) => (one.tool === tool ? { tool, isOn: !isOn } : one))
          draw()
          changed()
        })
      ),
      chip(text.search, hasSearch, () => {
        hasSearch = !hasSearch
        draw()
        changed()
      }),
      tools.map(
        ({ isOn, tool }) => isOn && button(text.editTool(tool.name), () => edit(tool), { look: "ghost small" })
      ),
      button(text.addTool, () => edit(undefined), { look: "ghost small" })
    )
  }
  draw()
  return {
    element,
    tools: () => tools.flatMap(({ isOn, tool }) => (isOn ? [tool] : [])),
    hasSearch: () => hasSearch,
    /** Switches these on, in addition to existing ones. */
    use(given: ReadonlyArray<FunctionTool>) {
      const names = new Set(given.map(({ name }) => name))
      tools = [
        ...tools.filter(({ tool }) => !names.has(tool.name)).map(({ tool }) => ({ tool, isOn: false })),
        ...given.map((tool) => ({ tool, isOn: true }))
      ]
      draw()
    }
  }
}
