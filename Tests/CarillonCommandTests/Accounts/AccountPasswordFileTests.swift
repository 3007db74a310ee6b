import Testing

@testable import CarillonCommand

struct AccountPasswordFileTests {
    @Test(
        "A password file is the password, but for one line break at its end",
        arguments: [
            ("correct horse", "correct horse"), ("correct horse\n", "correct horse"),
            ("correct horse\r\n", "correct horse"), ("correct horse\r", "correct horse"),
            // A password may begin and end in what looks empty.
            ("\n secret\n\n", "\n secret\n"), (" secret \n", " secret "), ("\n", ""), ("", ""),
        ]
    )
    func reads(_ file: String, _ password: String) {
        #expect(AccountsCommand.password(in: file.utf8) == password)
    }

    @Test("A password file that is not UTF-8 is refused, not changed")
    func refusesBytes() { #expect(AccountsCommand.password(in: [0x61, 0xFF, 0x0A]) == nil) }
}
