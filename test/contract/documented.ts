import { HttpApi, OpenApi } from "@effect/platform"
import type { HttpApiGroup } from "@effect/platform"

/** A schema as the OpenAPI page shows it. */
export interface Shown {
  readonly $ref?: string
  readonly required: ReadonlyArray<string>
  readonly properties: Readonly<Record<string, Shown>>
  readonly anyOf: ReadonlyArray<Shown>
  readonly items: Shown
}

/** How the OpenAPI page tells of a group's endpoint that takes a POST, and of the group's schemas. */
export const documented = (group: HttpApiGroup.HttpApiGroup.Any, path: string) => {
  const document = OpenApi.fromApi(HttpApi.make("api").add(group))
  return {
    create: document.paths[path]!.post!,
    schemas: document.components.schemas as unknown as Record<string, Shown>
  }
}
