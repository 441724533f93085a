import { HttpApi } from "@effect/platform"
import { AdminApi } from "../../src/admin/Api.ts"
import { AdminSessionsApi } from "../../src/people/signIn/Api.ts"

export const adminKey = "admin-key-0123456789abcdefghijklmnop"
export const endpoints: Array<readonly [name: string, method: string, path: string]> = []

/** The console's admin endpoints. */
const AdminSessionsOnly = HttpApi.make("sessions").add(AdminSessionsApi)

HttpApi.reflect(AdminApi.addHttpApi(AdminSessionsOnly), {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) =>
    endpoints.push([`${endpoint.method} ${endpoint.path}`, endpoint.method, endpoint.path.replace(":id", "unknown")])
})

export const send = (url: string, method: string, path: string, headers: Record<string, string>, body?: string) =>
  fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
