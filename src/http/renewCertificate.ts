import { Effect } from "effect"
import type { Scope } from "effect"
import { daemon } from "../flow/daemon.ts"
import type { Daemons } from "../flow/Daemons.ts"
import type { UnreadableFile } from "../flow/RegularFiles.ts"
import { backoff } from "../flow/schedules.ts"
import { readCertificate, versionOf } from "./Certificate.ts"
import type { Certificate, CertificateFiles, TlsSetting } from "./Certificate.ts"

const lookEvery = "500 millis"
/** Days before expiry at which a warning is logged. */
const warnedDays = 14

/**
 * Reloads the certificate when its files change, once two looks at them agree, so that they are not read while being
 * written. An unusable pair changes nothing and is logged.
 */
export const renewCertificate = (
  files: CertificateFiles,
  setting: TlsSetting,
  renew: (certificate: Certificate) => void
): Effect.Effect<void, never, Scope.Scope | Daemons> =>
  Effect.gen(function* () {
    let seen = yield* Effect.orElseSucceed(versionOf(files), () => "")
    let shown = seen
    let silent = ""
    /** A file that does not answer is told once. */
    const unread = ({ message }: UnreadableFile) => {
      if (silent === message) return Effect.void
      silent = message
      return Effect.logWarning(`the certificate stays in use and is not renewed meanwhile: ${message}`)
    }
    const look = Effect.matchEffect(versionOf(files), { onFailure: unread, onSuccess: (now) => changed(now) })
    const changed = (now: string) => {
      silent = ""
      const isSettled = now === seen
      seen = now
      if (!isSettled || now === shown) return Effect.void
      return readCertificate(files, setting).pipe(
        // A failure to listen is retried by the daemon.
        Effect.tap((certificate) => Effect.sync(() => renew(certificate))),
        Effect.flatMap((certificate) =>
          Effect.zipRight(
            Effect.annotateLogs(Effect.logInfo("the certificate was renewed"), {
              event: "tls.renewed",
              setting: `${setting}.tls`,
              ends: new Date(certificate.endsAtMs).toISOString()
            }),
            warnOfEnd(certificate, setting)
          )
        ),
        Effect.catchTag("BadCertificate", ({ message }) =>
          Effect.logError(`the certificate was not renewed and the former one stays in use: ${message}`)
        ),
        Effect.tap(() => Effect.sync(() => void (shown = now)))
      )
    }
    yield* daemon(
      setting === "server" ? "tls.renew" : "tls.renew_admin",
      Effect.as(look, Effect.sleep(lookEvery)),
      backoff
    )
  })

/** Warns of a certificate that has expired or expires soon. */
export const warnOfEnd = ({ endsAtMs }: Certificate, setting: TlsSetting): Effect.Effect<void> =>
  Effect.when(
    Effect.annotateLogs(Effect.logWarning("the certificate has expired or expires soon"), {
      event: "tls.ends",
      setting: `${setting}.tls`,
      ends: new Date(endsAtMs).toISOString()
    }),
    () => endsAtMs - Date.now() < warnedDays * 86_400_000
  )
