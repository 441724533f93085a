import { isObject, listAt, numberAt, objectAt, textAt } from "../../contract/json/json.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { ClientTool } from "./ClientTool.ts"

/** `computer` and `computer_use_preview`: the caller moves the mouse, types, and returns a screenshot. */
export const computer: ClientTool = {
  call: "computer_call",
  prefix: "cu",
  name: "computer",
  types: ["computer", "computer_use", "computer_use_preview", "computer-preview"],
  // The preview's calls have one action each.
  asFunction: (entry) => ({
    description: describe(entry),
    parameters: entry.type === "computer" ? several : single
  }),
  itemOf: (state, args) => {
    const action = objectAt(args, "action")
    const actions = state.status === "incomplete" ? [] : listAt(args, "actions").filter(isObject).map(whole)
    return {
      ...state,
      type: "computer_call",
      ...(action === undefined || state.status === "incomplete" ? { actions } : { action: whole(action) }),
      pending_safety_checks: []
    }
  }
}

const describe = (entry: object): string => {
  const [width, height] = [numberAt(entry, "display_width"), numberAt(entry, "display_height")]
  const place = textAt(entry, "environment")
  return (
    `Use a computer's screen, mouse and keyboard${place === undefined ? "" : ` (${place})`}. The result is a screenshot ` +
    `after the last action; coordinates are its pixels${width === undefined || height === undefined ? "" : `, of ${width} × ${height}`}.`
  )
}

const point = { x: { type: "integer" }, y: { type: "integer" } }

const action = {
  type: "object",
  properties: {
    type: {
      type: "string",
      enum: ["screenshot", "click", "double_click", "drag", "keypress", "move", "scroll", "type", "wait"]
    },
    ...point,
    button: { type: "string", enum: ["left", "right", "wheel", "back", "forward"], description: "`click`." },
    keys: { type: "array", items: { type: "string" }, description: "`keypress`, or keys held during the action." },
    path: { type: "array", items: { type: "object", properties: point, required: ["x", "y"] }, description: "`drag`." },
    scroll_x: { type: "integer", description: "`scroll`: pixels to the right." },
    scroll_y: { type: "integer", description: "`scroll`: pixels down." },
    text: { type: "string", description: "`type`." }
  },
  required: ["type"]
}

const several = {
  type: "object",
  properties: { actions: { type: "array", items: action, description: "The actions, in order." } },
  required: ["actions"]
}
const single = { type: "object", properties: { action }, required: ["action"] }

/** An action with the fields that clients require of its type. */
const whole = (sent: JsonObject): JsonObject => ({ ...defaults.get(textAt(sent, "type") ?? ""), ...sent })

const origin = { x: 0, y: 0 }

const defaults: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ["click", { button: "left", ...origin }],
  ["double_click", { ...origin, keys: null }],
  ["drag", { path: [] }],
  ["keypress", { keys: [] }],
  ["move", origin],
  ["scroll", { ...origin, scroll_x: 0, scroll_y: 0 }],
  ["type", { text: "" }]
])
