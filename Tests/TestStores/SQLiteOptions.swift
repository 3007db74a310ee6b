package import CarillonSQL

extension SQLiteDatabase.Options {
    /// As usual, with time for reads on a machine that has other work.
    package static var forTests: Self {
        var options = Self()
        options.readTime = .seconds(60)
        return options
    }
}
