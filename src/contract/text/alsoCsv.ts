import { OpenApi } from "@effect/platform"

/** Documents an endpoint that answers with CSV where it is asked for. */
export const alsoCsv = (annotations: { readonly summary: string; readonly description?: string }) =>
  OpenApi.annotations({
    ...annotations,
    transform: (operation) => {
      operation.responses[200].content["text/csv"] = { schema: { type: "string" } }
      return operation
    }
  })
