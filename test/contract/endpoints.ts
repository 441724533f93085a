import { HttpApi } from "@effect/platform"
import { Context, Option, SchemaAST } from "effect"
import { GatewayApi } from "../../src/Api.ts"
import { BodyLimit, Form, Public } from "../../src/contract/annotations.ts"
import { FileField } from "../../src/contract/bodies/UploadedFile.ts"

/** One endpoint of the contract, as the tables need it. */
export interface Endpoint {
  /** `group.endpoint`. */
  readonly id: string
  readonly method: string
  /** With parameters filled in; nothing of the caller's has these ids. */
  readonly path: string
  /** Matches every path of the endpoint. */
  readonly pattern: RegExp
  readonly isPublic: boolean
  readonly takesBody: boolean
  /** True if its body may be a form. */
  readonly takesForm: boolean
  /** True if it needs a file: a form's, which no JSON has, or one that was stored before. */
  readonly needsFile: boolean
  readonly bodyLimit: number
}

const found: Array<Endpoint> = []
HttpApi.reflect(GatewayApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, mergedAnnotations }) =>
    found.push({
      id: `${group.identifier}.${endpoint.name}`,
      method: endpoint.method,
      path: endpoint.path.replace(/:\w+/g, "unknown"),
      pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, "[^/]+")}$`),
      isPublic: Context.get(mergedAnnotations, Public),
      takesBody: Option.isSome(endpoint.payloadSchema),
      takesForm: Context.get(mergedAnnotations, Form) !== null,
      needsFile: Option.exists(endpoint.payloadSchema, ({ ast }) =>
        SchemaAST.getPropertySignatures(ast).some(
          ({ isOptional, name, type }) => !isOptional && (type === FileField.ast || name === "input_file_id")
        )
      ),
      bodyLimit: Option.getOrElse(Context.getOption(mergedAnnotations, BodyLimit), () => 32 * 1024 * 1024)
    })
})

/** Every endpoint, read from the contract: a new one is in the tables automatically. */
export const endpoints: ReadonlyArray<Endpoint> = found
/** Those that take a form. */
export const formed = endpoints.filter(({ takesForm }) => takesForm)
/** Those that take JSON. */
export const bodied = endpoints.filter(({ needsFile, takesBody }) => takesBody && !needsFile)
