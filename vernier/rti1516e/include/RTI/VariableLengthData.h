// IEEE 1516.1-2010 C++ API, written for Vernier: bytes of attribute and parameter values, tags and
// encoded handles.
#ifndef RTI_VariableLengthData_h
#define RTI_VariableLengthData_h

#include <RTI/SpecificConfig.h>

#include <string.h>

namespace rti1516e
{
   // Deletes memory taken by takeDataPointer
   typedef void (*VariableLengthDataDeleteFunction) (void * data);

   // Up to 32 bytes are stored within; more take one allocation, used again while it is large enough.
   class RTI_EXPORT VariableLengthData
   {
   public:
      VariableLengthData () noexcept : _data (_within), _size (0), _capacity (Within), _free (0) {}

      // Copies inData.
      VariableLengthData (void const * inData, size_t inSize) : VariableLengthData () { setData (inData, inSize); }

      // A copy has storage of its own, also of data that is pointed to.
      VariableLengthData (VariableLengthData const & rhs) : VariableLengthData () { setData (rhs._data, rhs._size); }

      VariableLengthData (VariableLengthData && rhs) noexcept { take (rhs); }

      ~VariableLengthData ()
      {
         if (_free)
            release ();
      }

      // This object has storage of its own afterwards.
      VariableLengthData & operator= (VariableLengthData const & rhs)
      {
         if (this != &rhs)
            setData (rhs._data, rhs._size);
         else if (_capacity == 0)
            own ();
         return *this;
      }

      VariableLengthData & operator= (VariableLengthData && rhs) noexcept
      {
         if (this != &rhs)
         {
            if (_free)
               release ();
            take (rhs);
         }
         return *this;
      }

      // Valid until this object ends or is given new data
      void const * data () const { return _data; }

      size_t size () const { return _size; }

      // Copies inData, which may be a part of what is held.
      void setData (void const * inData, size_t inSize)
      {
         if (inSize > _capacity)
            return grow (inData, inSize);
         if (inSize)
            memmove (_data, inData, inSize);
         _size = inSize;
      }

      // Points to inData, which the caller keeps valid as long as this object, or until it is given new data.
      void setDataPointer (void * inData, size_t inSize)
      {
         if (_free)
            release ();
         _data = inData;
         _size = inSize;
         _capacity = 0;
         _free = 0;
      }

      // Owns inData from now on and deletes it with func, or as an array of char if there is none.
      void takeDataPointer (void * inData, size_t inSize, VariableLengthDataDeleteFunction func = 0);

   private:
      enum : size_t { Within = 32 };

      void release () noexcept;
      void grow (void const * inData, size_t inSize);
      void own ();

      void take (VariableLengthData & rhs) noexcept
      {
         _size = rhs._size;
         _capacity = rhs._capacity;
         _free = rhs._free;
         if (rhs._data == rhs._within)
         {
            memcpy (_within, rhs._within, Within);
            _data = _within;
         }
         else
            _data = rhs._data;
         rhs._data = rhs._within;
         rhs._size = 0;
         rhs._capacity = Within;
         rhs._free = 0;
      }

      void * _data;
      size_t _size;
      size_t _capacity;  // of storage of its own; 0: it points, or has taken
      VariableLengthDataDeleteFunction _free;  // deletes _data; null: nothing to delete
      char _within[Within];
   };
}

#endif  // RTI_VariableLengthData_h
