import CarillonSQL

extension Migration {
    /// Device tokens are found by their first and last four bytes, in place of the first eight.
    ///
    /// Both are as random for tokens of Apple's. Made-up ones, such as numbers with leading zeros, often begin alike: by the
    /// first eight bytes each look-up of one of them read all others.
    static let tokenEnds = Migration(name: "0011 ends of tokens") { _ in
        """
        DROP INDEX IF EXISTS devices_by_token;
        CREATE INDEX devices_by_token ON devices (
            app_id, substr(token, 1, 4), substr(token, length(token) - 3)) WHERE token IS NOT NULL;
        """
    }
}
