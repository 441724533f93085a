import { GatewayApi } from "../../src/Api.ts"
import { specOf } from "../../src/http/openapi.ts"
import type { Method } from "./methods.ts"

const operations = Object.entries(specOf(GatewayApi).paths).flatMap(([path, item]) => {
  const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`)
  return Object.keys(item).map((method) => ({ method: method.toUpperCase(), pattern }))
})

/** True if the contract has the request of a method. */
export const isServed = ({ method, path }: NonNullable<Method["request"]>): boolean =>
  operations.some((operation) => operation.method === method && operation.pattern.test(path))
