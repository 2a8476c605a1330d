/** Names with dots, as `instance.provision`: they break after a dot and nowhere else. */
export function Dotted({ name }: { readonly name: string }) {
  const parts = name.split(/(?<=\.)/)
  return (
    <span class="dotted">
      {parts.flatMap((part, i) => (i === 0 ? [part] : [<wbr key={`${i} ${part}`} />, part]))}
    </span>
  )
}
