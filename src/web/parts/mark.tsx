/** The mark of the product: a bollard with a line made fast to it. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M9 7.500h14M11.500 7.500v4.200c0 1.800 1 2.600 1 4.300V24h7v-8c0-1.700 1-2.500 1-4.300V7.500M6.500 24.500h19M12.500 17.500c3 2.200 8 1.600 12.500-1.200" />
    </svg>
  )
}
