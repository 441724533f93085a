import { parseSync } from "oxc-parser"
import { isNode } from "./collections.ts"
import type { Node } from "./collections.ts"

/**
 * Each function with parameters that makes a generator function every time it is called, as `file:line`:
 * `(id) => Effect.gen(function* () { … })`. Each such function has shapes of its own, which die with it, and with them what
 * the engine has compiled: where it runs now and then (for each task, say) it is compiled over and over and never runs
 * fast. `Effect.fnUntraced(function* (id) { … })` is made once.
 */
export const generatorsPerCall = (sources: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...sources].flatMap(([file, text]) => {
    const found: Array<string> = []
    const look = (value: unknown, isPerCall: boolean): void => {
      if (Array.isArray(value)) for (const one of value) look(one, isPerCall)
      if (!isNode(value)) return
      if (isPerCall && isGenerator(value)) {
        found.push(`${file}:${text.slice(0, Number(value["start"])).split("\n").length}`)
      }
      const within = isFunction(value) && !isThunk(value) ? hasParameters(value) && !isGenerator(value) : isPerCall
      for (const field of Object.values(value)) look(field, within)
    }
    const { errors, program } = parseSync(file, text)
    if (errors.length > 0) throw new Error(`${file} can't be read`)
    look(program.body, false)
    return found
  })

const isFunction = ({ type }: Node): boolean =>
  /^(ArrowFunctionExpression|Function(Expression|Declaration))$/.test(type)

const isGenerator = (node: Node): boolean => isFunction(node) && node["generator"] === true

/** What it makes is made as often as what is around it. */
const isThunk = (node: Node): boolean => !isGenerator(node) && !hasParameters(node)

const hasParameters = ({ params }: Node): boolean => Array.isArray(params) && params.length > 0
