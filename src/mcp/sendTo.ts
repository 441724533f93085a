import { Effect } from "effect"
import { proxyIn } from "../config/proxies.ts"
import type { ProxySetting } from "../config/sections/Proxy.ts"
import type { AddressGuard } from "../guard/AddressGuard.ts"
import { callUpstream } from "../upstreams/calls/client.ts"
import type { ClientTls } from "../upstreams/Endpoint.ts"
import { httpFailure, McpFailure } from "./McpFailure.ts"
import { connectMs, idleMs } from "./Send.ts"
import type { Send } from "./Send.ts"

const deadlines = { connectMs, firstByteMs: idleMs, idleMs }

/** Reaches a server of the operator's, which may be private. */
export const sendTo =
  (by: { readonly proxy?: ProxySetting | undefined; readonly tls?: ClientTls | undefined }): Send =>
  (sending) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(callUpstream({ ...sending, deadlines, proxy: proxyIn(by.proxy), tls: by.tls })), (exchange) =>
        Effect.addFinalizer((exit) =>
          Effect.sync(() => (exit._tag === "Success" ? exchange.release() : exchange.cancel()))
        )
      )
    ).pipe(
      Effect.map((exchange) => ({
        status: exchange.status,
        header: (name: string) => exchange.headers.get(name) ?? undefined,
        read: () => exchange.read()
      })),
      Effect.mapError(
        ({ neverSent }) =>
          new McpFailure({ outcome: "http_error", status: 0, code: 0, reason: "it could not be reached", neverSent })
      )
    )

/** Reaches a server that a caller names. Each request checks its address, and goes to what was checked. */
export const sendGuarded =
  (guard: AddressGuard): Send =>
  ({ body, ...sending }) =>
    guard
      .exchange(
        sending.url,
        { connectMs, idleMs },
        { ...sending, body: body === undefined ? undefined : new TextEncoder().encode(body) }
      )
      .pipe(Effect.mapError(({ reason }) => httpFailure(0, reason)))
