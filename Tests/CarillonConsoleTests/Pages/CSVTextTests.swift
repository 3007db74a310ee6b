import Testing

@testable import CarillonConsole

/// Tables for spreadsheets.
struct CSVTextTests {
    @Test("K-74 cells that a spreadsheet would evaluate begin with an apostrophe")
    func neutralises() {
        #expect(CSVText.line(["=1+1", "+1", "-1", "@x", "\tx", "1", "'=1"]) == "'=1+1,'+1,'-1,'@x,'\tx,1,''=1\r\n")
    }

    @Test("K-25 commas, quotation marks and line breaks stay in their cell")
    func quotes() {
        let line = CSVText.line(["a,b", "say \"hi\"", "two\nlines", "<script>"])

        #expect(line == "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",<script>\r\n")
        #expect(CSVText.mark == "\u{FEFF}")
    }
}
