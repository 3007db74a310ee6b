extension [String] {
    /// The texts in order.
    ///
    /// Sorting is compiled for each type of element and takes three kilobytes each time: where an app needs an order, it is
    /// one of names.
    @inline(never)
    package func inOrder() -> [String] { sorted() }
}
