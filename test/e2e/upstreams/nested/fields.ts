import { isObject, textAt } from "../../../../src/contract/json/json.ts"
import type { Shown } from "../../../contract/documented.ts"

/** An optional field of an object within a body. */
export interface NestedField {
  /** The object's schema and the field (`ResponsesInputImage.detail`). */
  readonly name: string
  /** Its place in a sample. */
  readonly path: ReadonlyArray<string>
}

type Schemas = Readonly<Record<string, Partial<Shown> & { readonly enum?: ReadonlyArray<unknown> }>>
type Schema = Schemas[string]

const named = (schemas: Schemas, schema: Schema, at: string): readonly [Schema, string] => {
  const name = schema.$ref?.split("/").at(-1)
  return name === undefined ? [schema, at] : [schemas[name] ?? {}, name]
}

const alternatives = (schemas: Schemas, given: Schema, at: string): ReadonlyArray<readonly [Schema, string]> => {
  const [schema, name] = named(schemas, given, at)
  return schema.anyOf === undefined ? [[schema, name]] : schema.anyOf.flatMap((one) => alternatives(schemas, one, name))
}

/** The optional fields of all objects below a schema. */
export const declaredFields = (schemas: Schemas, root: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const seen = new Set<Schema>()
  const visit = (given: Schema, at: string): void => {
    for (const [schema, name] of alternatives(schemas, given, at)) {
      if (seen.has(schema)) continue
      seen.add(schema)
      if (schema.items !== undefined) visit(schema.items, `${name}[]`)
      for (const [field, inner] of Object.entries(schema.properties ?? {})) {
        if (name !== root && schema.required?.includes(field) !== true) found.add(`${name}.${field}`)
        visit(inner, `${name}.${field}`)
      }
    }
  }
  visit({ $ref: `/${root}` }, root)
  return found
}

/** True if an object may be one of this schema, by its type and the fields that are required. */
const fits = ({ properties = {}, required = [] }: Schema, value: object): boolean => {
  const types: ReadonlyArray<unknown> | undefined = Reflect.get(properties["type"] ?? {}, "enum")
  const type = textAt(value, "type")
  const isOfType = types === undefined || (type === undefined ? !required.includes("type") : types.includes(type))
  return isOfType && required.every((field) => field in value)
}

/** The optional fields of the objects in a sample, with their places. */
export const fieldsIn = (schemas: Schemas, root: string, sample: unknown): ReadonlyArray<NestedField> => {
  const found: Array<NestedField> = []
  const visit = (given: Schema, at: string, value: unknown, path: ReadonlyArray<string>): void => {
    const all = alternatives(schemas, given, at)
    if (Array.isArray(value)) {
      for (const [{ items }, name] of all) {
        if (items !== undefined) value.forEach((one, index) => visit(items, `${name}[]`, one, [...path, String(index)]))
      }
      return
    }
    if (!isObject(value)) return
    const chosen = all.find(([schema]) => schema.properties !== undefined && fits(schema, value))
    if (chosen === undefined) return
    const [schema, name] = chosen
    for (const [field, inner] of Object.entries(schema.properties ?? {})) {
      if (!(field in value)) continue
      const here = [...path, field]
      if (name !== root && schema.required?.includes(field) !== true)
        found.push({ name: `${name}.${field}`, path: here })
      visit(inner, `${name}.${field}`, value[field], here)
    }
  }
  visit({ $ref: `/${root}` }, root, sample, [])
  return found
}

/** A copy of a value without the field at a place. */
export const without = (value: unknown, [head = "", ...rest]: ReadonlyArray<string>): unknown => {
  if (Array.isArray(value))
    return value.map((one: unknown, index) => (String(index) === head ? without(one, rest) : one))
  if (!isObject(value)) return value
  const { [head]: inner, ...others } = value
  return rest.length === 0 ? others : { ...value, [head]: without(inner, rest) }
}
