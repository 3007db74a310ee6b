import Testing

@testable import CarillonCommand

struct CoresTests {
    @Test(
        "The cores that Linux lists are counted",
        arguments: [
            ("Name:\tx\nCpus_allowed_list:\t0\nMems:\t1\n", 1), ("Cpus_allowed_list:\t0-3\n", 4),
            ("Cpus_allowed_list:\t0-1,4,6-7\n", 5), ("Cpus_allowed_list:\t\n", nil), ("Cpus_allowed_list:\t3-1\n", nil),
            ("Name:\tx\n", nil),
        ] as [(String, Int?)]
    )
    func counts(_ status: String, _ count: Int?) {
        #expect(Cores.count(inStatus: status) == count)
    }

    @Test("There is at least one")
    func hasOne() {
        #expect(Cores.usable >= 1)
    }
}
