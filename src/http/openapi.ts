import { HttpApi, OpenApi } from "@effect/platform"
import type { HttpApiGroup } from "@effect/platform"
import { Context } from "effect"
import {
  CallsServers,
  Form,
  Idempotent,
  KnownFieldsOnly,
  MayBeEmpty,
  OpenedBy,
  Public
} from "../contract/annotations.ts"
import { isFinal } from "./answer.ts"
import { withoutNul } from "../contract/json/nul.ts"
import { tidySchemas } from "./tidySchemas.ts"

type Json = Readonly<Record<string, unknown>>

/** The library's own document. It is made once for a contract, with the options of the first call. */
export const specOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): OpenApi.OpenAPISpec =>
  OpenApi.fromApi(api, {
    // `additionalProperties: false` only for contracts that refuse unknown fields.
    additionalPropertiesStrategy: isStrict(api) ? "strict" : "allow"
  })

/**
 * The contract as an OpenAPI 3.1 document. Adds to the library's own document keys, request ids and headers, and removes
 * impossible failures and internal schema metadata.
 * @param base the path of the public URL, which the paths are below
 * @param rolesOf the roles that reach an operation, as `x-gateway-roles`
 */
export const openApiDocument = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  base = "",
  rolesOf: RolesOf = () => undefined
): Json => {
  const { components, paths, ...spec } = specOf(api)
  const { schemas, tidy } = tidySchemas(components.schemas)
  const open = operationsWith(api, (annotations) => Context.get(annotations, Public))
  const signIns = operationsWith(api, (annotations) => Context.get(annotations, OpenedBy) === "anyone")
  const repeatable = operationsWith(api, (annotations) => Context.get(annotations, Idempotent))
  const servers = operationsWith(api, (annotations) => Context.get(annotations, CallsServers))
  const optional = operationsWith(api, (annotations) => Context.get(annotations, MayBeEmpty))
  const forms = operationsWith(api, (annotations) => Context.get(annotations, Form) !== null)
  const operation = (method: string, { security: none, ...operation }: OpenApi.OpenAPISpecOperation): Json => {
    const isPublic = open.has(operation.operationId)
    const takesBody = operation.requestBody !== undefined
    const responses = Object.entries(operation.responses).filter(([status]) =>
      isPossible(Number(status), { method, isPublic, takesBody, callsServers: servers.has(operation.operationId) })
    )
    const roles = rolesOf(operation.operationId)
    return {
      ...operation,
      ...(roles === undefined ? {} : withRoles(operation, roles)),
      parameters: [
        ...operation.parameters.map((parameter) => ({ ...parameter, schema: withoutNul(tidy(parameter.schema)) })),
        ...(repeatable.has(operation.operationId) ? [idempotencyKey] : [])
      ],
      ...(operation.requestBody === undefined
        ? {}
        : {
            requestBody: {
              ...operation.requestBody,
              ...(optional.has(operation.operationId) && { required: false }),
              ...content(forms.has(operation.operationId) ? alsoAsForm(operation.requestBody) : operation.requestBody)
            }
          }),
      responses: Object.fromEntries(
        responses.map(([status, response]) => [
          status,
          {
            description: meanings[status] ?? response.description,
            ...content(response),
            headers: headersOf(Number(status))
          }
        ])
      ),
      ...(isPublic || signIns.has(operation.operationId) ? { security: none } : {})
    }
  }
  const content = ({ content }: { readonly content?: OpenApi.OpenApiSpecContent }): Json =>
    content === undefined
      ? {}
      : {
          content: Object.fromEntries(
            Object.entries(content).map(([type, media]) => [type, { ...media, schema: tidy(media.schema) }])
          )
        }
  return {
    ...spec,
    servers: [{ url: base === "" ? "/" : base }],
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operations]) => [
        path,
        Object.fromEntries(Object.entries(operations).map(([method, value]) => [method, operation(method, value)]))
      ])
    ),
    components: { schemas, securitySchemes, headers },
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] }))
  }
}

/** The roles that reach an operation, and whose records; undefined where every caller does. */
export type RolesOf = (operationId: string) => Readonly<Record<string, string>> | undefined

const withRoles = (
  { description = "" }: { readonly description?: string },
  roles: Readonly<Record<string, string>>
) => ({
  description: `${description}${description === "" ? "" : "\n\n"}Roles: ${Object.entries(roles)
    .map(([role, reach]) => (reach === "all" ? role : `${role} (${reach})`))
    .join(", ")}.`,
  "x-gateway-roles": roles
})

/** A JSON body that may also be sent as a form with the same fields. */
const alsoAsForm = ({ content }: { readonly content?: OpenApi.OpenApiSpecContent }) => {
  const json = content?.["application/json"]
  return { content: { ...content, ...(json === undefined ? {} : { "multipart/form-data": json }) } }
}

const securitySchemes = {
  bearer: { type: "http", scheme: "bearer", description: "`Authorization: Bearer <API_KEY>`" },
  apiKey: {
    type: "apiKey",
    name: "x-api-key",
    in: "header",
    description: "The same key in another header; `Authorization` wins if both are sent."
  }
}

const headers = {
  RequestId: { description: "Names the request in the gateway's log.", schema: { type: "string" } },
  RetryAfter: { description: "Seconds until a retry can succeed.", schema: { type: "integer", minimum: 1 } },
  RetryAfterMs: { description: "The same in milliseconds.", schema: { type: "integer", minimum: 1 } },
  ShouldRetry: {
    description: "`false` where the same request would be refused again; the official clients then don't retry.",
    schema: { type: "string", enum: ["false"] }
  }
}
const requestId = { $ref: "#/components/headers/RequestId" }
const requestIds = { "x-request-id": requestId, "request-id": requestId }
const retryAfter = {
  "retry-after": { $ref: "#/components/headers/RetryAfter" },
  "retry-after-ms": { $ref: "#/components/headers/RetryAfterMs" }
}
const shouldRetry = { "x-should-retry": { $ref: "#/components/headers/ShouldRetry" } }

/** The headers of an answer with this status. */
const headersOf = (status: number) => ({
  ...requestIds,
  ...(status === 429 ? retryAfter : {}),
  ...(isFinal(status) ? shouldRetry : {})
})

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Any text of the caller's own. A request that is sent again with it within 24 hours gets the answer of the first, " +
    "with `idempotent-replayed: true`, and nothing runs or is charged twice; another body under the same key is a 409. " +
    "Only successful answers of up to 8 MiB are kept.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" }
}

/** True if every endpoint refuses unknown fields. */
const isStrict = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): boolean => operationsWith(api, (annotations) => !Context.get(annotations, KnownFieldsOnly)).size === 0

/** Ids of the operations whose annotations match. */
const operationsWith = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  matches: (annotations: Context.Context<never>) => boolean
): ReadonlySet<string> => {
  const ids = new Set<string>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      if (matches(mergedAnnotations)) ids.add(`${group.identifier}.${endpoint.name}`)
    }
  })
  return ids
}

/** Descriptions of failures by status. */
const meanings: Readonly<Record<string, string>> = {
  "400": "The request is invalid: the message names the field and the rule.",
  "401": "The API key is missing or invalid.",
  "402": "The balance or the quota does not cover the request.",
  "403": "The key may not do this.",
  "404": "There is nothing of the caller's here.",
  "409": "The request conflicts with the state of its target.",
  "413": "The request body is too large.",
  "415": "The request body's `Content-Encoding` is none of `gzip`, `br`, `zstd` and `identity`.",
  "422": "The request body is not what its `Content-Encoding` says.",
  "424": "An MCP server that the request names did not list its tools.",
  "429": "Too many requests; `retry-after` says when to come back.",
  "500": "The gateway or the model's upstream failed; the request may be sent again.",
  "503": "Not ready, or the sign-in of the caller's company does not answer."
}

interface Situation {
  readonly method: string
  readonly isPublic: boolean
  readonly takesBody: boolean
  readonly callsServers: boolean
}

/** A group declares failures for all its endpoints; an endpoint without a key, a body or a price can't have all of them. */
const isPossible = (status: number, { callsServers, isPublic, method, takesBody }: Situation): boolean => {
  if (status === 424 && !callsServers) return false
  if (isPublic && [401, 402, 403, 409, 429].includes(status)) return false
  if (!takesBody && [413, 415, 422].includes(status)) return false
  return !(method === "get" && (status === 402 || status === 409))
}
