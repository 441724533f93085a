import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { basePath } from "../address.ts"
import { Refused } from "../client.ts"
import { durationText } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import type { Data, Failure } from "../hooks/useData.ts"
import { words } from "../words/words.ts"
import { Button } from "./Button.tsx"
import { CodeBlock } from "./CodeBlock.tsx"
import type { Snippet } from "./CodeBlock.tsx"
import { Status } from "./Status.tsx"

const widths = [50, 74, 82, 60, 40, 66, 30]

/** Grey placeholder rows, which appear only if the answer takes a moment. */
export const Skeleton = ({ delayMs = 150, rows = 14 }: { readonly rows?: number; readonly delayMs?: number }) => {
  const [isLate, setIsLate] = useState(delayMs === 0)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), delayMs)
    return () => clearTimeout(timer)
  }, [delayMs])
  return (
    isLate && (
      <div class="skeleton" aria-busy="true">
        <p class="sr">{words.loading}</p>
        {Array.from({ length: rows }, (_, row) => (
          <div key={row}>
            {widths.map((width, column) => (
              <i key={column} style={{ width: `${(width - ((row * 7 + column * 13) % 26)) / 4.4}%` }} />
            ))}
          </div>
        ))}
      </div>
    )
  )
}

/** An empty state, with how to fill it. */
export const Empty = ({
  actions,
  children,
  snippets = [],
  title
}: {
  readonly title: string
  readonly children: ComponentChildren
  readonly snippets?: ReadonlyArray<Snippet>
  readonly actions?: ComponentChildren
}) => (
  <div class="state">
    <h2>{title}</h2>
    <p>{children}</p>
    {actions !== undefined && <div class="actions">{actions}</div>}
    {snippets.length > 0 && <CodeBlock snippets={snippets} />}
  </div>
)

/** No row matches the filter. */
export const NoMatch = ({
  actions,
  clear,
  said: [before, filter, after]
}: {
  /** A sentence, and the filter in it if it is told. */
  readonly said: readonly [before: string, filter?: string, after?: string]
  /** Clears the filters. */
  readonly clear: () => void
  /** Other ways to more rows. */
  readonly actions?: ComponentChildren
}) => (
  <div class="state">
    <h2>{words.noMatch.title}</h2>
    <p>
      {before}
      {filter !== undefined && <code>{filter}</code>}
      {after}
    </p>
    <div class="actions">
      <Button look="primary" onClick={clear}>
        {words.noMatch.clear}
      </Button>
      {actions}
    </div>
  </div>
)

const Reason = ({ error }: { readonly error: unknown }) => {
  if (!(error instanceof Refused)) {
    return (
      <>
        {words.failed.broken}
        {error instanceof Error ? error.message : ""}
      </>
    )
  }
  if (error.status === 0) return <>{words.failed.noAnswer}</>
  return (
    <>
      {words.failed.answered}
      <code>
        {error.status} {error.code}
      </code>
      {words.failed.after(durationText(error.tookMs))}
      {error.message === "" ? "" : ` ${error.message.replace(/\.?$/, ".")}`}
    </>
  )
}

/** The gateway's error, what still works, and when it is retried. */
export const Failed = ({
  again,
  failure: { error, inSeconds, tries },
  what
}: {
  readonly what: string
  readonly failure: Failure
  readonly again: () => unknown
}) => {
  const { copy } = useApp()
  const id = error instanceof Refused ? error.requestId : null
  return (
    <div class="state" role="alert">
      <h2>
        <Status tone="bad">{words.failed.title(what)}</Status>
      </h2>
      <p>
        <Reason error={error} /> {words.failed.goesOn}
      </p>
      <div class="actions">
        <Button look="primary" onClick={() => void again()}>
          {words.failed.again}
        </Button>
        <a class="button" href={`${basePath}/docs`}>
          {words.documentation}
        </a>
      </div>
      <p class="faint">
        {inSeconds !== undefined && <span>{words.failed.tries(tries, inSeconds)}</span>}
        {id !== null && id !== "" && (
          <>
            {` ${words.failed.request} `}
            <button type="button" class="copyable" aria-label={words.copy.it(id)} onClick={() => copy(id)}>
              {id}
            </button>
          </>
        )}
      </p>
    </div>
  )
}

/** A part of a page that shows data: placeholders, a failure, or its content. */
export const Part = <A,>({
  children,
  of,
  waiting,
  what
}: {
  readonly of: Data<A>
  /** The part's name, for a failure: "Accounts". */
  readonly what: string
  readonly waiting?: ComponentChildren
  readonly children: (value: A) => ComponentChildren
}) =>
  of.failure !== undefined ? (
    <Failed what={what} failure={of.failure} again={of.again} />
  ) : of.value === undefined ? (
    <>{waiting ?? <Skeleton />}</>
  ) : (
    <>{children(of.value)}</>
  )
