import Testing

@testable import CarillonConsole

/// QR codes as paths of an SVG.
struct QRCodeTests {
    /// The dark modules: column and row.
    private func modules(_ code: QRCode) -> Set<[Int]> {
        Set(
            code.path.split(separator: "M").compactMap { part in
                let numbers = part.prefix { $0 != "h" }.split(separator: " ").compactMap { Int($0) }
                return numbers.count == 2 ? numbers : nil
            }
        )
    }

    @Test("A code has its three corners, a white margin, and a size of the standard")
    func corners() throws {
        let code = try #require(QRCode("otpauth://totp/Carillon:ana?secret=JBSWY3DPEHPK3PXP&issuer=Carillon"))
        let modules = modules(code)
        let width = code.size - 8
        #expect(width >= 21 && (width - 17).isMultiple(of: 4))
        #expect(modules.allSatisfy { $0.allSatisfy { (4..<code.size - 4).contains($0) } })
        let far = code.size - 11
        for (left, top) in [(4, 4), (far, 4), (4, far)] {
            for row in 0..<7 {
                for column in 0..<7 {
                    let isRing = [0, 6].contains(row) || [0, 6].contains(column)
                    let isCentre = (2...4).contains(row) && (2...4).contains(column)
                    #expect(modules.contains([left + column, top + row]) == (isRing || isCentre))
                }
            }
        }
    }

    @Test("Other texts have other codes, and one that is too long has none")
    func texts() {
        #expect(QRCode("a") != QRCode("b"))
        #expect(QRCode(String(repeating: "x", count: 3_000)) == nil)
    }
}
