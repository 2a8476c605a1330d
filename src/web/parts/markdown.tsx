/** Text of packages, drawn from the tree of its Markdown; nothing of it is ever taken as markup. */
import type { ComponentChildren } from 'preact'
import { type Block, type Inline, readMarkdown } from '../markdown.ts'
import { reachable } from './reachable.ts'

interface Props {
  readonly text: string
  /** The level of the heading above. */
  readonly below: number
}

export function Markdown({ text, below }: Props) {
  return <div class="prose">{readMarkdown(text).map((block, i) => blockOf(block, below, i))}</div>
}

function blockOf(block: Block, below: number, key: number): ComponentChildren {
  switch (block.kind) {
    case 'heading': {
      const Heading = `h${Math.min(6, below + Math.max(1, block.level - 1))}` as 'h3'
      return <Heading key={key}>{inline(block.parts)}</Heading>
    }
    case 'paragraph':
      return <p key={key}>{inline(block.parts)}</p>
    case 'code':
      return (
        <pre {...reachable} key={key}>
          <code>{block.text}</code>
        </pre>
      )
    case 'quote':
      return <blockquote key={key}>{block.blocks.map((one, i) => blockOf(one, below, i))}</blockquote>
    case 'list': {
      const List = block.isOrdered ? 'ol' : 'ul'
      return (
        <List key={key}>
          {block.items.map((item, i) => (
            <li key={`${i}`}>{item.map((one, j) => blockOf(one, below, j))}</li>
          ))}
        </List>
      )
    }
    case 'table':
      return <Table key={key} rows={block.rows} />
    case 'rule':
      return <hr key={key} />
  }
}

function Table({ rows: [head = [], ...rows] }: { readonly rows: Extract<Block, { kind: 'table' }>['rows'] }) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell, i) => (
            <th key={`${i}`} scope="col">
              {inline(cell)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={`${i}`}>
            {row.map((cell, j) => (
              <td key={`${j}`}>{inline(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function inline(parts: readonly Inline[]): ComponentChildren {
  return parts.map((part, i) => {
    switch (part.kind) {
      case 'text':
        return part.text
      case 'code':
        return <code key={`${i}`}>{part.text}</code>
      case 'strong':
        return <strong key={`${i}`}>{inline(part.parts)}</strong>
      case 'emphasis':
        return <em key={`${i}`}>{inline(part.parts)}</em>
      case 'link':
        return (
          <a key={`${i}`} href={part.to} rel="noopener noreferrer" target="_blank">
            {inline(part.parts)}
          </a>
        )
    }
    return null
  })
}
