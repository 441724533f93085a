import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { isForPeople } from "../address.ts"
import { span } from "../format.ts"
import { letterOf, pagesOf } from "../pageNames.ts"
import { reaches } from "../reaches.ts"
import { frontPage, hrefOf } from "../router.ts"
import type { Session } from "../session.ts"
import { words } from "../words/words.ts"
import { AccountChoice } from "./AccountChoice.tsx"
import { Icon } from "./Icon.tsx"
import type { IconName } from "./Icon.tsx"

interface FrameProps {
  readonly session: Session
  /** The page that is shown: another one begins at its top. */
  readonly page: string
  readonly help: () => void
  readonly theme: () => void
  readonly signOut: () => void
  readonly children: ComponentChildren
}

interface ItemProps {
  readonly name: IconName
  readonly word: string
}

const Inside = ({ name, word }: ItemProps) => (
  <>
    <Icon name={name} />
    <span class="nav-word">{word}</span>
  </>
)

const Link = ({ isCurrent, page, title, ...item }: ItemProps & { page: string; title: string; isCurrent: boolean }) => {
  const link = useRef<HTMLAnchorElement>(null)
  useLayoutEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [isCurrent])
  return (
    <a ref={link} class="nav-item" href={hrefOf(page)} title={title} aria-current={isCurrent ? "page" : undefined}>
      <Inside {...item} />
    </a>
  )
}

const Act = ({ act, letter, ...item }: ItemProps & { letter?: string; act: () => void }) => (
  <button
    type="button"
    class="nav-item"
    title={letter === undefined ? item.word : `${item.word} (${letter})`}
    onClick={act}
  >
    <Inside {...item} />
  </button>
)

/** The navigation, and the page beside it. */
export const Frame = ({ children, help, page, session, signOut, theme }: FrameProps) => {
  const main = useRef<HTMLElement>(null)
  const left = span(Date.parse(session.expires_at) - Date.now())
  const isOperator = session.kind === "operator"
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          main.current?.focus()
        }}
      >
        {words.frame.skip}
      </a>
      <nav class="nav" aria-label={words.frame.label}>
        <a class="brand" href={hrefOf(frontPage)} aria-label={words.product}>
          <Icon name="brand" size={18} />
          <span class="nav-word">{words.product}</span>
        </a>
        {pagesOf(session).map((name) => (
          <Link
            key={name}
            name={name}
            word={words.pages[name]}
            page={name}
            title={`${words.pages[name]} (g ${letterOf(name)})`}
            isCurrent={name === page}
          />
        ))}
        <div class="nav-foot">
          {isOperator && !isForPeople && reaches(session, "adminSessions.list") && (
            <Link
              name="sessions"
              word={words.sessions.title}
              page="sessions"
              title={words.sessions.title}
              isCurrent={page === "sessions"}
            />
          )}
          <Act name="help" word={words.frame.shortcuts} letter="?" act={help} />
          <Act name="theme" word={words.frame.theme} letter="d" act={theme} />
          <Act name="leave" word={words.frame.signOut} act={signOut} />
          <AccountChoice session={session} />
          <div class="nav-where">
            {isOperator
              ? words.frame.signedIn(session.name ?? "", session.role ?? "", left)
              : words.frame.holder(session.account_id ?? "", left)}
            <code>{location.host}</code>
          </div>
        </div>
      </nav>
      <main key={page} ref={main} id="main" tabIndex={-1} class={`page-${page}`}>
        {children}
      </main>
    </div>
  )
}
