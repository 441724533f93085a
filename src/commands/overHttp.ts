import { FetchHttpClient } from "@effect/platform"
import type { HttpClient, HttpClientError } from "@effect/platform"
import { Effect, Either } from "effect"
import { fetchBy, proxiesOf } from "../config/proxies.ts"

/** Calls a gateway with Bun's `fetch`, by the environment's proxy; a gateway on this machine is called directly. */
export const overHttp = (url: string, options: RequestInit = {}) => {
  const proxyOf = Either.getOrElse(proxiesOf(process.env, undefined), () => () => undefined)
  return <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, HttpClient.HttpClient>> =>
    call.pipe(
      Effect.provide(FetchHttpClient.layer),
      Effect.provideService(FetchHttpClient.RequestInit, { ...options, ...fetchBy(proxyOf(url)) })
    )
}

/** Why a request got no answer. */
export const reasonOf = ({ cause, description }: HttpClientError.RequestError): string =>
  cause instanceof Error ? cause.message : (description ?? "no answer")
