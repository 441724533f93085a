import { Effect } from "effect"
import type { Scope } from "effect"
import { daemon } from "../flow/daemon.ts"
import type { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { readCertificate, versionOf } from "./Certificate.ts"
import type { Certificate, CertificateFiles } from "./Certificate.ts"

/** How often the files are looked at. */
const lookEvery = "500 millis"
/** How long before its end a certificate is warned of, in days. */
const warnedDays = 14

/**
 * Shows a certificate's next version once its files have changed. Files that are being written are left alone until they
 * look the same twice; a pair that can't be used changes nothing, and the log says so.
 */
export const renewing = (
  files: CertificateFiles,
  renew: (certificate: Certificate) => void
): Effect.Effect<void, never, Scope.Scope | Daemons> =>
  Effect.suspend(() => {
    let seen = versionOf(files)
    let shown = seen
    const look = Effect.suspend(() => {
      const now = versionOf(files)
      const isSettled = now === seen
      seen = now
      if (!isSettled || now === shown) return Effect.void
      return readCertificate(files).pipe(
        // Who can't listen for a moment tries again.
        Effect.tap((certificate) => Effect.sync(() => renew(certificate))),
        Effect.flatMap((certificate) =>
          Effect.zipRight(
            Effect.annotateLogs(Effect.logInfo("the certificate was renewed"), {
              event: "tls.renewed",
              ends: new Date(certificate.endsAtMs).toISOString()
            }),
            warned(certificate)
          )
        ),
        Effect.catchTag("BadCertificate", ({ message }) =>
          Effect.logError(`the certificate was not renewed, the former one stays: ${message}`)
        ),
        Effect.tap(() => Effect.sync(() => void (shown = now)))
      )
    })
    return daemon("tls.renew", Effect.as(look, Effect.sleep(lookEvery)), backoff)
  })

/** Warns of a certificate that ends soon, or has. */
export const warned = ({ endsAtMs }: Certificate): Effect.Effect<void> =>
  Effect.when(
    Effect.annotateLogs(Effect.logWarning("the certificate ends soon, or has ended"), {
      event: "tls.ends",
      ends: new Date(endsAtMs).toISOString()
    }),
    () => endsAtMs - Date.now() < warnedDays * 86_400_000
  )
